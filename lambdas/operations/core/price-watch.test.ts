import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { growthOf, MAX_RATIO, TIMES } from '../../../tools/test-kit/growth.ts';
import { it } from '../../../tools/test-kit/search.ts';
import { rounds } from '../../../tools/test-kit/thorough.ts';
import { type CatalogDocument, parseCatalog } from '../../inference/core/catalog/catalog-document.ts';
import { comparePrices, pricesReadAt } from './price-watch.ts';

const tokens = (input: number, output = 4) => ({ unit: 'per_million_tokens', input, output });

const routeOf = (id: string, fields: object = {}) => ({
  id,
  protocol: 'openai',
  base_url: 'https://a.example/v1',
  upstream_model: 'up',
  ...fields,
});

const modelOf = (id: string, price: object, routes: readonly object[], fields: object = {}) => ({
  id,
  type: 'chat',
  owned_by: 'a',
  created: 1,
  price,
  routes,
  ...fields,
});

const documentOf = (...models: readonly object[]): CatalogDocument => parseCatalog({ models });

const compare = (catalog: CatalogDocument, newer: CatalogDocument) => {
  const { findings, ...counts } = comparePrices(catalog, newer);
  return {
    ...counts,
    findings: findings.map(({ model, route, passed, outdated }) => ({
      model,
      route,
      passed: passed.map(({ rate }) => rate),
      outdated: outdated.map(({ rate }) => rate),
    })),
  };
};

const reference = (fields: object = {}, cost: object = tokens(2)) =>
  documentOf(modelOf('s/up', tokens(9), [routeOf('s', { cost, ...fields })]));

describe('a price that a provider’s has passed', () => {
  it('falls below the cost of the provider; the selling price of the reference does not count', () => {
    const sold = (input: number) => documentOf(modelOf('a/b', tokens(input), [routeOf('r')]));
    expect(compare(sold(2), reference())).toEqual({ compared: 1, notCompared: 0, findings: [] });
    expect(compare(sold(1), reference()).findings).toEqual([
      { model: 'a/b', route: 'r', passed: ['input'], outdated: [] },
    ]);
  });

  it('falls below the price of the reference if its route has no cost', () => {
    const bare = documentOf(modelOf('s/up', tokens(3), [routeOf('s')]));
    const sold = documentOf(modelOf('a/b', tokens(2), [routeOf('r')]));
    expect(compare(sold, bare).findings).toMatchObject([{ passed: ['input'] }]);
  });

  it('appears separately from an outdated cost', () => {
    const sold = (input: number, cost: number) =>
      documentOf(modelOf('a/b', tokens(input), [routeOf('r', { cost: tokens(cost) })]));
    expect(compare(sold(3, 2), reference()).findings).toEqual([]);
    expect(compare(sold(3, 1), reference()).findings).toMatchObject([{ passed: [], outdated: ['input'] }]);
    expect(compare(sold(1, 1), reference()).findings).toMatchObject([
      { passed: ['input'], outdated: ['input'] },
    ]);
    expect(compare(sold(1, 2), reference()).findings).toMatchObject([{ passed: ['input'], outdated: [] }]);
  });

  it('stays unreported if a fallback declares a cost above the price; the declared cost is still compared', () => {
    const sold = (fallback: object) =>
      documentOf(
        modelOf('a/b', tokens(3), [
          routeOf('first', { upstream_model: 'cheap', priority: 1, cost: tokens(1) }),
          routeOf('second', { priority: 2, ...fallback }),
        ]),
      );
    const dearer = reference({}, tokens(5));
    expect(compare(sold({ cost: tokens(5) }), dearer)).toEqual({ compared: 1, notCompared: 1, findings: [] });
    expect(compare(sold({ cost: tokens(4) }), dearer).findings).toMatchObject([
      { route: 'second', passed: [], outdated: ['input'] },
    ]);
    expect(compare(sold({}), dearer).findings).toMatchObject([{ route: 'second', passed: ['input'] }]);
    expect(compare(sold({ cost: tokens(5), priority: 1 }), dearer).findings).toMatchObject([
      { route: 'second', passed: ['input'] },
    ]);
  });

  it('counts only up to the longest possible prompt', () => {
    const sold = (context: number) =>
      documentOf(modelOf('a/b', tokens(2), [routeOf('r')], { context_window: context }));
    const tiered = reference({}, { ...tokens(2), tiers: [{ above: 200_000, input: 4, output: 4 }] });
    expect(compare(sold(200_000), tiered).findings).toEqual([]);
    expect(compare(sold(1_000_000), tiered).findings).toMatchObject([
      { passed: ['input (prompts above 200000 tokens)'] },
    ]);
  });
});

describe('the reference of a route', () => {
  const sold = (fields: object = {}, id = 'a/b') =>
    documentOf(modelOf(id, tokens(1), [routeOf('r', fields)]));

  it('matches the address of the route if the reference catalog has the upstream model at several addresses', () => {
    const several = documentOf(
      modelOf('s/1', tokens(9), [routeOf('s1', { cost: tokens(1) })]),
      modelOf('s/2', tokens(9), [routeOf('s2', { base_url: 'https://b.example/v1', cost: tokens(2) })]),
    );
    expect(compare(sold(), several)).toMatchObject({ compared: 1, findings: [] });
    expect(compare(sold({ base_url: 'https://b.example/v1' }), several).findings).toHaveLength(1);
    expect(compare(sold({ base_url: 'https://c.example/v1' }), several)).toMatchObject({ notCompared: 1 });
    expect(compare(sold({ base_url: 'https://c.example/v1' }, 's/2'), several).findings).toHaveLength(1);
  });

  it('falls back to the upstream model at another address if that is the only one', () => {
    expect(compare(sold({ base_url: 'https://c.example/v1' }), reference()).findings).toHaveLength(1);
  });

  it('falls back to the model of the same id if the reference catalog has no such upstream model', () => {
    expect(compare(sold({ upstream_model: 'other' }), reference())).toMatchObject({
      compared: 0,
      notCompared: 1,
    });
    expect(compare(sold({ upstream_model: 'other' }, 's/up'), reference()).findings).toHaveLength(1);
  });

  it('excludes routes of another protocol and models of another type', () => {
    expect(compare(sold({ protocol: 'anthropic' }), reference())).toMatchObject({ compared: 0 });
    const embeddings = documentOf(
      modelOf('s/up', { unit: 'per_million_tokens', input: 9 }, [routeOf('s')], { type: 'embeddings' }),
    );
    expect(compare(sold({}, 's/up'), embeddings)).toMatchObject({ compared: 0, notCompared: 1 });
  });

  it('compares the characters of a token of speech with the price of characters', () => {
    const cost = (character: number) => ({ unit: 'per_million_characters', character });
    const route = (character: number) => ({ ...routeOf('r', { cost: cost(character) }) });
    const speech = (fields: object, character = 16) =>
      documentOf(
        modelOf('a/b', { unit: 'per_million_tokens', input: 64 }, [route(character)], {
          type: 'tts',
          ...fields,
        }),
      );
    const four = { characters_per_token: 4 };
    expect(compare(speech(four), speech(four))).toEqual({ compared: 1, notCompared: 0, findings: [] });
    expect(compare(speech(four), speech({}, 16.001)).findings).toEqual([
      { model: 'a/b', route: 'r', passed: ['input'], outdated: ['input'] },
    ]);
    expect(compare(speech({}), speech(four))).toEqual({ compared: 0, notCompared: 1, findings: [] });
  });

  it('remains empty if the two prices count different units', () => {
    const speech = (price: object) => documentOf(modelOf('a/tts', price, [routeOf('r')], { type: 'tts' }));
    const [characters, requests] = [
      speech({ unit: 'per_million_characters', character: 15 }),
      speech({ unit: 'per_request', request: 1 }),
    ];
    expect(compare(characters, requests)).toEqual({ compared: 0, notCompared: 1, findings: [] });
    expect(compare(characters, characters)).toEqual({ compared: 1, notCompared: 0, findings: [] });
  });
});

const amount = fc.integer({ min: 1, max: 9 });
const list = fc
  .record({ input: amount, output: amount, cached_input: amount })
  .map((rates) => ({ unit: 'per_million_tokens', ...rates }));

type List = { readonly input: number; readonly output: number; readonly cached_input: number };

describe('the day on which reference prices were read', () => {
  const readAt = Date.parse('2026-11-20') / 1000;
  const read = (...days: readonly (string | undefined)[]) =>
    documentOf(
      ...days.map((as_of, at) =>
        modelOf(`s/${at}`, tokens(1), [routeOf(`s${at}`)], {
          ...(as_of === undefined ? {} : { price_source: { url: 'https://a.example/', as_of } }),
        }),
      ),
    );

  it('equals the latest day in the document, if it was given later', () => {
    expect(pricesReadAt(read('2026-10-01', '2026-10-03', undefined), readAt)).toBe(
      Date.parse('2026-10-03') / 1000,
    );
  });

  it('defaults to the day on which it was given if the document names no day or a later one', () => {
    expect(pricesReadAt(read(undefined), readAt)).toBe(readAt);
    expect(pricesReadAt(read('2026-11-21'), readAt)).toBe(readAt);
  });
});

describe('the comparison of two catalogs', () => {
  it('detects a route if and only if one of its rates is lower than the reference’s', () => {
    fc.assert(
      fc.property(list, fc.option(list), list, (price, cost, charged) => {
        const catalog = documentOf(modelOf('a/b', price, [routeOf('r', cost === null ? {} : { cost })]));
        const isLower = (ownPrice: List) =>
          ownPrice.input < charged.input ||
          ownPrice.output < charged.output ||
          ownPrice.cached_input < charged.cached_input;
        const expected = isLower(price) || (cost !== null && isLower(cost));
        expect(comparePrices(catalog, reference({}, charged)).findings.length).toBe(expected ? 1 : 0);
      }),
      { numRuns: rounds(300) },
    );
  });

  it('takes time in proportion to the models', async () => {
    const catalogOf = (length: number) =>
      documentOf(
        ...Array.from({ length }, (_, at) =>
          modelOf(`a/${at}`, tokens(2), [routeOf(`r${at}`, { upstream_model: `up-${at}`, cost: tokens(1) })]),
        ),
      );
    const catalogs = new Map([125, 125 * TIMES].map((length) => [length, catalogOf(length)]));
    const compare = (length: number) => {
      const catalog = catalogs.get(length) ?? catalogOf(0);
      expect(comparePrices(catalog, catalog)).toMatchObject({ compared: length, findings: [] });
    };
    expect(await growthOf(compare, 125)).toBeLessThan(MAX_RATIO);
  });
});
