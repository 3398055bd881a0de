import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../tools/test-kit/search.ts';
import { rounds } from '../../../../tools/test-kit/thorough.ts';
import {
  pricedFeature,
  pricesOf,
  report,
  tokenPrices,
  tokenPricesOf,
} from '../../testing/pricing/arbitraries.ts';
import { priceUsage } from '../metering/priced-usage.ts';
import { billOf } from './bill.ts';
import { billableItemsOf } from './billable-items.ts';
import type { BillableItem } from './counts.ts';
import { type LowRate, lowRates } from './low-rates.ts';
import { LIFETIMES, type Prices, prices, type TokenPrices } from './prices.ts';

const RATES = {
  input: '1',
  cached_input: '0.1',
  cache_writes: { '5m': '1.25', '30m': '1.5', '1h': '2', '24h': '3', auto: '1.1' },
  output: '4',
  reasoning_output: '5',
  audio_input: '6',
  cached_audio_input: '0.6',
  audio_output: '7',
  image_input: '8',
  cached_image_input: '0.8',
  image_output: '9',
  video_input: '10',
  video_output: '11',
};

const TOKENS = {
  unit: 'per_million_tokens',
  ...RATES,
  tiers: [
    { above: 1_000, ...RATES },
    { above: 2_000, ...RATES },
  ],
  service_tiers: {
    priority: { ...RATES, tiers: [1_000, 2_000].map((above) => ({ above, ...RATES })) },
    flex: { factor: '0.5' },
  },
  regions: { us: { factor: '1.1' } },
  features: { web_search: { price: '0.01', max_uses: 5, tokens: 100 } },
  request: '0.001',
};

const IMAGES = {
  unit: 'per_image',
  image: '0.04',
  variants: [
    { quality: 'high', size: '1024x1024', image: '0.17' },
    { quality: 'low', image: '0.01' },
    { size: '1536x1024', image: '0.06' },
  ],
};

const LISTS: readonly object[] = [
  TOKENS,
  IMAGES,
  { unit: 'per_million_characters', character: '15' },
  { unit: 'per_request', request: '0.02' },
  { unit: 'per_second', second: '0.0001' },
  { unit: 'per_minute', minute: '0.006' },
  { unit: 'per_hour', hour: '0.36' },
];

/** Returns the paths of all decimals in a document: every amount and every factor. */
function decimalsIn(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value === 'string') return /^\d+(\.\d+)?$/.test(value) ? [path] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => decimalsIn(each, [...path, name]));
}

/** The document with another decimal at one place. */
function changed(document: object, path: readonly string[], change: (value: number) => number): object {
  const copy = structuredClone(document);
  const last = path.at(-1) ?? '';
  const holder = path
    .slice(0, -1)
    .reduce<Record<string, unknown>>((at, name) => at[name] as never, copy as never);
  holder[last] = change(Number(holder[last])).toFixed(9);
  return copy;
}

const FIELDS = LISTS.flatMap((list) =>
  decimalsIn(list).map(
    (path) => [`${(list as { unit: string }).unit}: ${path.join('.')}`, list, path] as const,
  ),
);

const low = (own: Prices, other: Prices, sold = own): readonly LowRate[] => {
  const lowRateList = lowRates(own, other, { sold });
  if (lowRateList === undefined) throw new Error('not comparable');
  return lowRateList;
};

describe('a price list compared with another one', () => {
  it.each(LISTS.map((list) => [(list as { unit: string }).unit, list] as const))(
    'yields no low rate if both are the same: %s',
    (_unit, list) => {
      expect(low(pricesOf(list), pricesOf(list))).toEqual([]);
    },
  );

  it('uses every field of the vocabulary in this test', () => {
    const shape = JSON.stringify(prices.options.map((option) => Object.keys(option.shape)));
    const listed = JSON.stringify(LISTS.map((list) => Object.keys(list)));
    expect([...JSON.parse(listed).flat()].sort()).toEqual([...JSON.parse(shape).flat()].sort());
    expect(Object.keys(RATES.cache_writes).sort()).toEqual([...LIFETIMES].sort());
    expect(FIELDS.length).toBeGreaterThan(80);
  });

  it.each(FIELDS)(
    'counts as too low if the other one charges more, and not if it charges less: %s',
    (_name, list, path) => {
      const own = pricesOf(list);
      expect(low(own, pricesOf(changed(list, path, (value) => value * 1.5))).length).toBeGreaterThan(0);
      expect(low(own, pricesOf(changed(list, path, (value) => value * 0.5)))).toEqual([]);
      expect(low(pricesOf(changed(list, path, (value) => value * 0.5)), own).length).toBeGreaterThan(0);
    },
  );
});

describe('the name of a low rate', () => {
  const base = { input: 1, cached_input: 0.1, output: 4 };
  const named = (own: object, other: object) =>
    low(tokenPricesOf(own), tokenPricesOf(other)).map(({ rate }) => rate);

  it('equals the item’s name and appears once, without the items that its rate applies to', () => {
    expect(named({ input: 1, output: 4 }, { input: 2, output: 4 })).toEqual(['input']);
    expect(named({ input: 1, output: 1 }, { input: 2, output: 2 })).toEqual(['input', 'output']);
    expect(named(base, { ...base, cached_input: 0.2 })).toEqual(['cached_input']);
    expect(named({ input: 1, output: 4 }, { ...base, cached_input: 2 })).toEqual(['cached_input']);
    expect(named(base, { ...base, reasoning_output: 5 })).toEqual(['reasoning_output']);
  });

  it('includes the tier if the rate is lower in that tier alone', () => {
    const tiered = { ...base, tiers: [{ above: 200_000, ...base, input: 2 }] };
    expect(named(base, tiered)).toEqual(['input (prompts above 200000 tokens)']);
    expect(named(tiered, base)).toEqual([]);
    const fast = (input: number) => ({ ...base, service_tiers: { fast: { ...base, input } } });
    expect(named(fast(6), fast(7))).toEqual(['input (service tier fast)']);
    const us = (factor: number) => ({ input: 1, output: 0, regions: { us: { factor } } });
    expect(named(us(1), us(1.1))).toEqual(['input (region us)']);
  });

  it.each([
    ['input', 1_000_000, (input: number) => ({ ...base, input })],
    ['feature:web_search', 1, (price: number) => ({ ...base, features: { web_search: { price } } })],
  ])('comes with both amounts: %s per %i', (rate, per, listOf) => {
    expect(low(tokenPricesOf(listOf(2)), tokenPricesOf(listOf(3)))).toEqual([
      { rate, own: { price: 2_000_000_000n, per }, other: { price: 3_000_000_000n, per } },
    ]);
  });

  it('includes the quality and the size, and those that the other list prices separately', () => {
    const flat = pricesOf({ unit: 'per_image', image: '0.04' });
    expect(low(flat, pricesOf(IMAGES)).map(({ rate }) => rate)).toEqual([
      'image::1536x1024',
      'image:high:1024x1024',
      'image:high:1536x1024',
    ]);
  });
});

describe('an item that no caller can request', () => {
  const base = { input: 1, output: 4 };

  it.each([
    ['a service tier', { service_tiers: { priority: { factor: 2 } } }],
    ['a region', { regions: { us: { factor: 1.1 } } }],
    ['a tool', { features: { web_search: { price: 0.01, max_uses: 1 } } }],
    ['a cache write', { cache_writes: { '1h': 2 } }],
    ['audio', { audio_input: 6, audio_output: 7 }],
  ])(
    'stays out of the comparison, because the model has no price for it and rejects it: %s',
    (_what, dearer) => {
      const [plain, extraDigits] = [tokenPricesOf(base), tokenPricesOf({ ...base, ...dearer })];
      expect(low(plain, extraDigits)).toEqual([]);
      // Where the model sells it, a cost that lacks it is too low.
      expect(low(plain, extraDigits, extraDigits).length).toBeGreaterThan(0);
    },
  );

  it('stays out of the comparison if it is output and the model has no price for it', () => {
    const [embeddings, chat] = [tokenPricesOf({ input: 1 }), tokenPricesOf(base)];
    expect(low(embeddings, chat)).toEqual([]);
    expect(low(embeddings, chat, chat)).toMatchObject([{ rate: 'output' }]);
  });

  it('stays out of the comparison if it is a tier beyond the longest prompt, unless the provider’s tools read the prompt again', () => {
    const plain = tokenPricesOf(base);
    const tiered = tokenPricesOf({ ...base, tiers: [{ above: 200_000, input: 2, output: 6 }] });
    const rangeOf = (longestPrompt: number, sold: TokenPrices = plain) => ({ sold, longestPrompt });
    expect(lowRates(plain, tiered, rangeOf(200_000))).toEqual([]);
    expect(lowRates(plain, tiered, rangeOf(200_001))).toHaveLength(2);
    const searching = tokenPricesOf({ ...base, features: { web_search: { price: 0, max_uses: 5 } } });
    expect(lowRates(searching, tiered, rangeOf(200_000, searching))).toHaveLength(2);
  });
});

describe('an item that counts even if it has no separate price', () => {
  it.each([
    ['cached_input', { cached_input: 2 }],
    ['reasoning_output', { reasoning_output: 5 }],
    ['image_input', { image_input: 2 }],
    ['cached_image_input', { cached_image_input: 2 }],
    ['cache_write_auto', { cache_writes: { auto: 1.25 } }],
    ['request', { request: 0.001 }],
  ])('takes part in the comparison, at the rate that applies in its place: %s', (item, dearer) => {
    const base = { input: 1, output: 4 };
    expect(low(tokenPricesOf(base), tokenPricesOf({ ...base, ...dearer })).map(({ rate }) => rate)).toContain(
      item,
    );
  });
});

describe('lists of different units', () => {
  it.each([
    ['per_second', 'second', '0.0001', 'per_minute', 'minute', '0.006'],
    ['per_minute', 'minute', '0.006', 'per_hour', 'hour', '0.36'],
  ])(
    'allow an exact comparison if both count time: %s and %s',
    (unit, name, price, otherUnit, otherName, same) => {
      const own = pricesOf({ unit, [name]: price });
      expect(low(own, pricesOf({ unit: otherUnit, [otherName]: same }))).toEqual([]);
      const extraDigits = `${same.padEnd(10, '0')}1`;
      expect(low(own, pricesOf({ unit: otherUnit, [otherName]: extraDigits }))).toMatchObject([
        { rate: 'second' },
      ]);
    },
  );

  it('allow no comparison if they count different quantities', () => {
    for (const own of LISTS.map(pricesOf))
      for (const other of LISTS.map(pricesOf)) {
        const counts = ({ unit }: Prices) => unit.replace(/second|minute|hour/, 'time');
        const isSameAmount = counts(own) === counts(other);
        expect([own.unit, other.unit, lowRates(own, other, { sold: own }) !== undefined]).toEqual([
          own.unit,
          other.unit,
          isSameAmount,
        ]);
      }
  });
});

/** A list, and one whose amounts are each a part of those of the first, but for one of them perhaps. */
const pair = fc
  .tuple(tokenPrices, fc.array(fc.integer({ min: 0, max: 8 }), { minLength: 1 }), fc.boolean(), fc.nat())
  .map(([own, parts, raises, at]) => {
    let nextIndex = 0;
    const scaled = (value: unknown, name = ''): unknown => {
      if (typeof value === 'bigint') {
        nextIndex += 1;
        const factor =
          raises && nextIndex === (at % 40) + 1 ? 12n : BigInt(parts[nextIndex % parts.length] ?? 8);
        const amount = (value * factor) / 8n;
        return name === 'factor' && amount === 0n ? 1n : amount;
      }
      if (Array.isArray(value)) return value.map((each) => scaled(each));
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, scaled(each, key)]));
    };
    return { own, other: scaled(own) as TokenPrices };
  });

describe('the comparison', () => {
  it('detects a low rate if any call costs less than by the other list', () => {
    let silent = 0;
    fc.assert(
      fc.property(
        pair,
        fc.array(pricedFeature, { maxLength: 4 }),
        report,
        ({ own, other }, pricedFeatures, usage) => {
          const billableItems = billableItemsOf(own, pricedFeatures);
          // A model that answers has a price for its output.
          if ('unpriced' in billableItems || own.output === undefined) return;
          const { counts, context, amount } = priceUsage(own, billableItems, usage);
          const isLoss = billOf(other, counts, context).amount > amount;
          const lowRateList = low(own, other);
          if (lowRateList.length === 0) silent += 1;
          expect(isLoss && lowRateList.length === 0).toBe(false);
        },
      ),
      { numRuns: rounds(250) },
    );
    // A comparison that always finds something would pass as well.
    expect(silent).toBeGreaterThan(5);
  });

  it('detects nothing that no bill shows: one billable item has a lower price by the first list', () => {
    fc.assert(
      fc.property(fc.oneof(pair, fc.record({ own: tokenPrices, other: tokenPrices })), ({ own, other }) => {
        for (const { rate, own: lower, other: higher } of low(own, other)) {
          const [, item = '', details = ''] = /^([^ ]+)(?: \((.*)\))?$/.exec(rate) ?? [];
          const [, above = '0'] = /above (\d+)/.exec(details) ?? [];
          const usedPrices = {
            serviceTier: /service tier (\w+)/.exec(details)?.[1],
            region: /region (\w+)/.exec(details)?.[1],
          };
          // A prompt that is one token longer than where the tier begins, the item among its tokens.
          const isOfPrompt = /input|cache_write/.test(item);
          const counts = new Map<BillableItem, number>([['input', Number(above) + (isOfPrompt ? 0 : 1)]]);
          if (item !== 'request')
            counts.set(item as BillableItem, (counts.get(item as BillableItem) ?? 0) + 1);
          const priceIn = (list: TokenPrices) =>
            billOf(list, counts, usedPrices).lines.find((line) => line.item === item)?.price ?? 0n;
          expect([rate, priceIn(own), priceIn(other)]).toEqual([rate, lower.price, higher.price]);
          expect(lower.price < higher.price).toBe(true);
        }
      }),
      { numRuns: rounds(60) },
    );
  });
});
