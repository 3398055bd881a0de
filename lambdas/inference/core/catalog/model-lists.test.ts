import { describe, expect, it } from '@jest/globals';
import { candidateOf, modelsOf } from '../../testing/catalog/models.ts';
import { modelListBody, priceEntry, priceListBody } from './model-lists.ts';

function entryOf(type: string, price: object): object {
  const cost =
    type === 'chat' ? { ...price, input: '0.123456789' } : { unit: 'per_request', request: '0.123456789' };
  const { model } = candidateOf({ type, price, routes: [{ cost }] });
  return JSON.parse(JSON.stringify(priceEntry(model)));
}

describe('the prices of a model, as shown to callers', () => {
  const plain = { unit: 'per_million_tokens', input: '0.1', output: '0.4', cached_input: '0.00875' };

  it('occupy one field each if there are no others', () => {
    expect(entryOf('chat', plain)).toEqual({
      model_id: 'a/b',
      model: 'a/b',
      type: 'chat',
      unit: 'per_million_tokens',
      price: 0.1,
      input_price: 0.1,
      output_price: 0.4,
      cached_input_price: 0.00875,
    });
  });

  it('include every other price that a call can meet', () => {
    const further = {
      cache_writes: { '5m': 0.125, '1h': 0.2 },
      tiers: [
        { above: 9, input: 0.2, output: 0.8, cached_input: 0.0175, cache_writes: { '5m': 0.25, '1h': 0.4 } },
      ],
      service_tiers: { flex: { factor: 0.5 } },
      features: { web_search: { price: 0.01, max_uses: 3, min_uses: 0 } },
    };
    expect(entryOf('chat', { ...plain, ...further })).toMatchObject({ price: 0.1, prices: further });
    const variants = [{ quality: 'high', image: 0.167 }];
    expect(entryOf('image', { unit: 'per_image', image: 0.04, variants })).toMatchObject({
      unit: 'per_image',
      price: 0.04,
      prices: { variants },
    });
  });

  it.each([
    ['tts', { unit: 'per_million_characters', character: 15 }, 15],
    ['embeddings', { unit: 'per_request', request: 0.01 }, 0.01],
    ['audio', { unit: 'per_second', second: 0.0001 }, 0.0001],
    ['audio', { unit: 'per_minute', minute: 0.006 }, 0.006],
    ['audio', { unit: 'per_hour', hour: 0.36 }, 0.36],
  ])('state the headline price of type %s', (type, price, headline) => {
    expect(entryOf(type, price)).toEqual({
      model_id: 'a/b',
      model: 'a/b',
      type,
      unit: price.unit,
      price: headline,
    });
  });

  it('never include the charge of the provider', () => {
    expect(JSON.stringify(entryOf('chat', plain))).not.toContain('0.123456789');
  });
});

it('the list states the limits of a model, and the capabilities of at least one of its routes', () => {
  const { model } = candidateOf({
    context_window: 128_000,
    max_output_tokens: 4_096,
    routes: [{ capabilities: ['vision', 'stream'] }, { capabilities: ['tools', 'stream'] }],
  });
  expect(priceEntry(model)).toMatchObject({
    context_window: 128_000,
    max_output_tokens: 4_096,
    capabilities: ['tools', 'vision', 'stream'],
  });
});

const models = modelsOf(
  ...['a', 'b', 'c'].map((id) => ({
    id: `x/${id}`,
    aliases: id === 'b' ? ['claude-b', 'b'] : [],
    routes: [{ id }],
  })),
);

it('the list contains the prices of a model under its id and each alias, and marks the default of its type', () => {
  const { count, models: entries } = priceListBody({ models, defaults: { chat: 'x/a' } });
  expect(entries.map(({ model_id: id, model, alias_of: of }) => [id, model, of])).toEqual([
    ['x/a', 'x/a', undefined],
    ['x/b', 'x/b', undefined],
    ['x/b', 'claude-b', 'x/b'],
    ['x/b', 'b', 'x/b'],
    ['x/c', 'x/c', undefined],
  ]);
  expect(count).toBe(5);
  expect(entries.map((entry) => entry.default)).toEqual([true, undefined, undefined, undefined, undefined]);
  const [, model, alias] = entries;
  expect(alias).toEqual({ ...model, model: 'claude-b', alias_of: 'x/b' });
});

describe('the list of models', () => {
  const idsOf = (query: Parameters<typeof modelListBody>[1]) => {
    const { data, has_more: hasMore } = modelListBody(models, query);
    return [data.map(({ id }) => id).join(' '), hasMore];
  };

  it('contains the models and their aliases, each alias with the id of its model', () => {
    expect(idsOf({})).toEqual(['x/a x/b claude-b b x/c', false]);
    const { data, first_id: first, last_id: last } = modelListBody(models);
    expect(data.map(({ alias_of: of }) => of)).toEqual([undefined, undefined, 'x/b', 'x/b', undefined]);
    expect([first, last]).toEqual(['x/a', 'x/c']);
  });

  it.each([
    [{ limit: '2' }, 'x/a x/b', true],
    [{ limit: '2', after_id: 'x/b' }, 'claude-b b', true],
    [{ limit: '2', after_id: 'b' }, 'x/c', false],
    [{ limit: '1000' }, 'x/a x/b claude-b b x/c', false],
    [{ limit: '2', before_id: 'b' }, 'x/b claude-b', true],
    [{ limit: '2', before_id: 'x/b' }, 'x/a', false],
    [{ after_id: 'x/c' }, '', false],
    [{ after_id: 'nowhere' }, '', false],
    [{ before_id: 'nowhere' }, '', false],
    [{ limit: 'x' }, 'x/a x/b claude-b b x/c', false],
    [{ limit: '0' }, 'x/a x/b claude-b b x/c', false],
  ])('supports the pagination of the Messages SDK: %j', (query, ids, hasMore) => {
    expect(idsOf(query)).toEqual([ids, hasMore]);
  });
});
