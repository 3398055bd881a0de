import { describe, expect, it } from '@jest/globals';
import { modelDocument } from '../../testing/catalog/models.ts';
import { type Prices, prices } from '../pricing/prices.ts';
import { parseCatalog } from './catalog-document.ts';
import { catalogChange, factorText, largeChanges, priceChanges } from './price-changes.ts';

const tokens = (rates: object): Prices => prices.parse({ unit: 'per_million_tokens', ...rates });
const BASE = { input: 10, output: 100 };

const changed = (before: object, after: object) =>
  priceChanges(tokens(before), tokens(after)).map(({ rate, before: old, after: now, large }) => [
    rate,
    factorText(old, now),
    large,
  ]);

describe('a change of price', () => {
  it.each([
    ['not at all', BASE, BASE, []],
    ['by a rise of 20 %', BASE, { ...BASE, input: 12 }, [['input', '1.2', false]]],
    ['by more than that', BASE, { ...BASE, input: '12.000000001' }, [['input', '1.2', true]]],
    ['by a fall of 20 %', BASE, { ...BASE, output: 80 }, [['output', '0.8', false]]],
    ['by a fall of more', BASE, { ...BASE, output: 79 }, [['output', '0.79', true]]],
    ['from nothing', { ...BASE, input: 0 }, BASE, [['input', null, true]]],
    ['to nothing', BASE, { ...BASE, input: 0 }, [['input', '0', true]]],
    ['by a price of each call', BASE, { ...BASE, request: 0.01 }, [['request', null, true]]],
    [
      'by cached tokens that cost as others again',
      { ...BASE, cached_input: 1 },
      BASE,
      [['cached_input', '10', true]],
    ],
    ['by reasoning at the same price as before', BASE, { ...BASE, reasoning_output: 100 }, []],
    [
      'by a tier that doubles',
      BASE,
      { ...BASE, tiers: [{ above: 200_000, input: 20, output: 100 }] },
      [['tiers.200000.input', '2', true]],
    ],
    [
      'by a tier that begins earlier',
      { ...BASE, tiers: [{ above: 200_000, input: 20, output: 100 }] },
      { ...BASE, tiers: [{ above: 100_000, input: 20, output: 100 }] },
      [['tiers.100000.input', '2', true]],
    ],
    [
      'by what was refused and can now be asked for',
      BASE,
      { ...BASE, cache_writes: { '1h': 20 }, features: { web_search: { price: 0.01 } } },
      [
        ['cache_writes.1h', null, false],
        ['features.web_search.price', null, false],
      ],
    ],
    [
      'by a factor of a service tier',
      { ...BASE, service_tiers: { priority: { factor: 2 } } },
      { ...BASE, service_tiers: { priority: { factor: 4 } } },
      [['service_tiers.priority.factor', '2', true]],
    ],
    [
      'by a rate of a service tier',
      { ...BASE, service_tiers: { flex: { input: 5, output: 50 } } },
      { ...BASE, service_tiers: { flex: { input: 5, output: 75 } } },
      [['service_tiers.flex.output', '1.5', true]],
    ],
  ])('appears in the list of changes: %s', (_how, before, after, expected) => {
    expect(changed(before, after)).toEqual(expected);
  });

  it('counts as large if the unit changes', () => {
    const after = prices.parse({ unit: 'per_request', request: 1 });
    expect(priceChanges(tokens(BASE), after).every(({ large }) => large)).toBe(true);
  });
});

const catalogOf = (...models: readonly (readonly [id: string, input: number, ...aliases: string[]])[]) =>
  parseCatalog({
    models: models.map(([id, input, ...aliases]) =>
      modelDocument({
        id,
        aliases,
        price: { unit: 'per_million_tokens', input, output: 100 },
        routes: [{ id: `${id}-r` }],
      }),
    ),
  });

describe('a change of the catalog', () => {
  it('lists the added and removed models, without a price change for them', () => {
    const change = catalogChange(catalogOf(['a', 1], ['b', 1]), catalogOf(['b', 1], ['c', 9]));
    expect(change).toEqual({ added: ['c'], removed: ['a'], changed: [] });
  });

  it('counts as large for callers of a name that now leads to a more expensive model', () => {
    const moved = catalogChange(catalogOf(['a', 1, 'best'], ['b', 9]), catalogOf(['a', 1], ['b', 9, 'best']));
    expect(largeChanges(moved)).toEqual(['best']);
    const replaced = catalogChange(catalogOf(['a', 1]), catalogOf(['b', 9, 'a']));
    expect([replaced.removed, largeChanges(replaced)]).toEqual([['a'], ['a']]);
    expect(largeChanges(catalogChange(catalogOf(['a', 1, 'x']), catalogOf(['a', 1, 'x'])))).toEqual([]);
  });

  it('counts as large if a token of speech has another number of characters', () => {
    const speech = (characters?: number) =>
      parseCatalog({
        models: [
          modelDocument({
            id: 'a',
            type: 'tts',
            price: { unit: 'per_million_tokens', input: 64 },
            characters_per_token: characters,
          }),
        ],
      });
    const change = { rate: 'characters_per_token', large: true };
    const changesOf = (before?: number, after?: number) =>
      catalogChange(speech(before), speech(after)).changed.flatMap(({ changes }) => changes);
    expect(changesOf(4, 2)).toEqual([{ ...change, before: 4_000_000_000n, after: 2_000_000_000n }]);
    expect(changesOf(undefined, 4)).toEqual([{ ...change, before: undefined, after: 4_000_000_000n }]);
    expect(changesOf(4, 4)).toEqual([]);
  });

  it('compares an image of a size that loses its price with the price of every image', () => {
    const images = (variants: object) => prices.parse({ unit: 'per_image', image: 0.04, ...variants });
    const before = images({ variants: [{ quality: 'high', image: 0.16 }] });
    expect(priceChanges(before, images({}))).toEqual([
      { rate: 'variants.high:.image', before: 160_000_000n, after: 40_000_000n, large: true },
    ]);
  });
});
