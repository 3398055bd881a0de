import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import type { PricedFeature } from '../../lambdas/inference/core/fields/need.ts';
import { priceUsage } from '../../lambdas/inference/core/metering/priced-usage.ts';
import { type BillableItems, billableItemsOf } from '../../lambdas/inference/core/pricing/billable-items.ts';
import type { TokenPrices } from '../../lambdas/inference/core/pricing/prices.ts';
import type { TokenUsage } from '../../lambdas/inference/core/pricing/token-usage.ts';
import { pricedFeature, report, tokenPrices } from '../../lambdas/inference/testing/pricing/arbitraries.ts';
import type { UsageRecord } from '../../lambdas/ledger/core/usage-record.ts';
import { it } from '../../tools/test-kit/search.ts';
import { rounds } from '../../tools/test-kit/thorough.ts';
import { byOwnLines, byPrices } from './recompute.ts';

const RECORD: UsageRecord = {
  id: 'req_1',
  keyId: 'key_1',
  accountId: 'acc_1',
  created: 1,
  model: 'a/b',
  kind: 'chat',
  inputUnits: 0,
  cachedUnits: 0,
  outputUnits: 0,
  unit: 'token',
  estimated: false,
  route: 'r',
  status: 'completed',
  cost: 0n,
};

/** The terms of as many of the pricedFeatures as have a price. */
function pricedItems(prices: TokenPrices, features: readonly PricedFeature[]): BillableItems {
  const priced = features.filter((each) => !('unpriced' in billableItemsOf(prices, [each])));
  const billableItems = billableItemsOf(prices, priced);
  return 'unpriced' in billableItems ? pricedItems(prices, priced.slice(1)) : billableItems;
}

/** Returns the usage record of a call. */
function recordOf(
  prices: TokenPrices,
  pricedFeatures: readonly PricedFeature[],
  usage: TokenUsage,
): UsageRecord {
  const { lines, amount, context } = priceUsage(prices, pricedItems(prices, pricedFeatures), usage);
  return { ...RECORD, lines, cost: amount, ...context };
}

const pricedFeatures = fc.array(pricedFeature, { maxLength: 3 });

describe('a bill recomputed from its record', () => {
  it('stays the same by its own lines and by the prices that it had', () => {
    fc.assert(
      fc.property(tokenPrices, pricedFeatures, report, (prices, features, usage) => {
        const record = recordOf(prices, features, usage);
        expect([byOwnLines(record), byPrices(prices, record)]).toEqual([record.cost, record.cost]);
      }),
      { numRuns: rounds(250) },
    );
  });

  it('matches the bill of the call at other prices if it is computed with them', () => {
    fc.assert(
      fc.property(tokenPrices, tokenPrices, report, (prices, otherPrices, usage) => {
        const record = recordOf(prices, [], usage);
        expect(byPrices(otherPrices, record)).toBe(
          priceUsage(otherPrices, pricedItems(prices, []), usage).amount,
        );
      }),
      { numRuns: rounds(250) },
    );
  });
});
