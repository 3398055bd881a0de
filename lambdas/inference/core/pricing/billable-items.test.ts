import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../tools/test-kit/search.ts';
import { rounds } from '../../../../tools/test-kit/thorough.ts';
import {
  billableItemsFor,
  pricedFeature,
  pricesOf,
  report,
  tokenPrices,
  tokenPricesOf,
} from '../../testing/pricing/arbitraries.ts';
import type { PricedFeature } from '../fields/need.ts';
import { priceUsage } from '../metering/priced-usage.ts';
import { billableItemsOf, promptWithUses, worstCost } from './billable-items.ts';

const FULL = {
  input: '3',
  output: '15',
  audio_input: '40',
  audio_output: '80',
  cache_writes: { '5m': '3.75' },
  service_tiers: { priority: { factor: '2' }, flex: { factor: '0.5' } },
  regions: { us: { factor: '1.1' } },
  features: { web_search: { price: '0.01', tokens: 2_000 }, code_execution: { price: '0', max_uses: 2 } },
};

const pricedFeatures: readonly PricedFeature[] = [
  { kind: 'service-tier', name: 'priority', param: 'service_tier' },
  { kind: 'region', name: 'us', param: 'inference_geo' },
  { kind: 'cache-write', lifetime: '5m', param: 'system[0].cache_control' },
  { kind: 'tokens', rate: 'audio_output', param: 'audio' },
  { kind: 'server-tool', name: 'web_search', maxUses: 3, param: 'tools[0]' },
  { kind: 'server-tool', name: 'code_execution', maxUses: undefined, param: 'tools[1]' },
  { kind: 'output', strings: ['predicted'], param: 'prediction' },
];

describe('the billable items of a request', () => {
  it('cover every feature that has a price', () => {
    const billableItems = billableItemsFor(tokenPricesOf(FULL), pricedFeatures);
    expect(billableItems.requestedContext).toEqual({ serviceTier: 'priority', region: 'us' });
    expect([...billableItems.uses]).toEqual([
      ['web_search', 3],
      ['code_execution', 2],
    ]);
    expect(billableItems.outputStrings).toEqual(['predicted']);
  });

  it.each<[string, PricedFeature]>([
    ['a tier', { kind: 'service-tier', name: 'scale', param: 'a' }],
    [
      'a tier named like a property of every object',
      { kind: 'service-tier', name: 'constructor', param: 'a' },
    ],
    ['a place', { kind: 'region', name: 'eu', param: 'a' }],
    ['a lifetime', { kind: 'cache-write', lifetime: '1h', param: 'a' }],
    ['a lifetime that nobody knows', { kind: 'cache-write', lifetime: '7d', param: 'a' }],
    ['a kind of token', { kind: 'tokens', rate: 'image_output', param: 'a' }],
    ['a tool', { kind: 'server-tool', name: 'mcp', maxUses: 1, param: 'a' }],
    [
      'a tool without a bound on its uses',
      { kind: 'server-tool', name: 'web_search', maxUses: undefined, param: 'a' },
    ],
    [
      'a tool with a bound beyond all use',
      { kind: 'server-tool', name: 'web_search', maxUses: 1_001, param: 'a' },
    ],
    ['what no price can say', { kind: 'unpriced', param: 'a' }],
  ])('identify the unpriced field that requests %s', (_case, unpriced) => {
    const prices = tokenPricesOf(FULL);
    expect(billableItemsOf(prices, [...pricedFeatures, unpriced])).toEqual({ unpriced });
    expect(billableItemsOf(prices, [unpriced, ...pricedFeatures])).toEqual({ unpriced });
  });

  it('cover one tier at a time', () => {
    const two: PricedFeature[] = [
      { kind: 'service-tier', name: 'priority', param: 'service_tier' },
      { kind: 'service-tier', name: 'flex', param: 'speed' },
    ];
    expect(billableItemsOf(tokenPricesOf(FULL), two)).toMatchObject({ unpriced: { param: 'speed' } });
  });

  it('cover nothing where calls are not billed by tokens', () => {
    const images = pricesOf({ unit: 'per_image', image: '1' });
    expect(billableItemsOf(images)).not.toHaveProperty('unpriced');
    for (const each of pricedFeatures) expect(billableItemsOf(images, [each])).toEqual({ unpriced: each });
  });
});

describe('the highest cost of a call', () => {
  const maxUsage = fc.record({
    prompt: fc.integer({ min: 0, max: 4_000 }),
    completion: fc.integer({ min: 0, max: 4_000 }),
  });

  it('never falls below its bill, whatever it requests and its route reports', () => {
    let completedCalls = 0;
    fc.assert(
      fc.property(
        tokenPrices,
        fc.array(pricedFeature, { maxLength: 4 }),
        maxUsage,
        report,
        (prices, features, bound, usage) => {
          const billableItems = billableItemsOf(prices, features);
          if ('unpriced' in billableItems) return;
          const possible = {
            ...usage,
            promptTokens: Math.min(usage.promptTokens, bound.prompt),
            completionTokens: Math.min(usage.completionTokens, bound.completion),
          };
          const bill = priceUsage(prices, billableItems, possible);
          if (Object.keys(bill.context).length > 0 || billableItems.uses.size > 0) completedCalls += 1;
          expect(bill.amount).toBeLessThanOrEqual(worstCost(prices, billableItems, bound));
        },
      ),
      { numRuns: rounds(700) },
    );
    // The search did meet tiers, places and tools.
    expect(completedCalls).toBeGreaterThan(30);
  });

  it('grows with the largest token counts of a call', () => {
    fc.assert(
      fc.property(tokenPrices, maxUsage, maxUsage, (prices, a, b) => {
        const billableItems = billableItemsFor(prices);
        const both = { prompt: a.prompt + b.prompt, completion: a.completion + b.completion };
        expect(worstCost(prices, billableItems, both)).toBeGreaterThanOrEqual(
          worstCost(prices, billableItems, a),
        );
      }),
    );
  });

  it('equals the exact cost if each side has one rate', () => {
    const plain = tokenPricesOf({ input: '3', output: '15' });
    expect(worstCost(plain, billableItemsFor(plain), { prompt: 1_000, completion: 100 })).toBe(4_500_000n);
  });

  it('covers the cheaper and the more expensive of the tiers that a route may serve', () => {
    const prices = tokenPricesOf(FULL);
    const of = (name: string) =>
      worstCost(prices, billableItemsFor(prices, [{ kind: 'service-tier', name, param: 'a' }]), {
        prompt: 1_000,
        completion: 0,
      });
    expect(of('priority')).toBe(6_000_000n);
    // A route that cannot serve the cheaper tier may serve the standard one.
    expect(of('flex')).toBe(3_000_000n);
  });
});

describe('a prompt that tools of the provider add to', () => {
  const prices = tokenPricesOf(FULL);
  const bound = { prompt: 1_000, completion: 100 };

  it('counts again after each use, with the results of the uses and the output so far', () => {
    const billableItems = billableItemsFor(prices, [
      { kind: 'server-tool', name: 'web_search', maxUses: 3, param: 'a' },
    ]);
    expect(promptWithUses(billableItems, bound, 200_000)).toBe(4 * (1_000 + 3 * 2_000 + 100));
    expect(promptWithUses(billableItems, bound, 5_000)).toBe(4 * 5_000);
  });

  it('fills the window each time if the catalog does not specify what a use adds', () => {
    const billableItems = billableItemsFor(prices, [
      { kind: 'server-tool', name: 'code_execution', maxUses: undefined, param: 'a' },
    ]);
    expect(promptWithUses(billableItems, bound, 200_000)).toBe(3 * 200_000);
  });

  it('counts once without a tool', () => {
    expect(promptWithUses(billableItemsFor(prices), bound, 200_000)).toBe(1_000);
  });
});
