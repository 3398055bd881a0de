import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import type { PricedFeature } from '../../lambdas/inference/core/fields/need.ts';
import { priceUsage } from '../../lambdas/inference/core/metering/priced-usage.ts';
import type { TokenPrices } from '../../lambdas/inference/core/pricing/prices.ts';
import { type Terms, termsOf } from '../../lambdas/inference/core/pricing/terms.ts';
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
function pricedTerms(prices: TokenPrices, asked: readonly PricedFeature[]): Terms {
  const priced = asked.filter((each) => !('unpriced' in termsOf(prices, [each])));
  const terms = termsOf(prices, priced);
  return 'unpriced' in terms ? pricedTerms(prices, priced.slice(1)) : terms;
}

/** Returns the usage record of a call. */
function recordOf(
  prices: TokenPrices,
  pricedFeatures: readonly PricedFeature[],
  usage: TokenUsage,
): UsageRecord {
  const { lines, amount, served } = priceUsage(prices, pricedTerms(prices, pricedFeatures), usage);
  return { ...RECORD, lines, cost: amount, ...served };
}

const pricedFeatures = fc.array(pricedFeature, { maxLength: 3 });

describe('a bill made again from its record', () => {
  it('stays the same by its own lines and by the prices that it had', () => {
    fc.assert(
      fc.property(tokenPrices, pricedFeatures, report, (prices, asked, usage) => {
        const record = recordOf(prices, asked, usage);
        expect([byOwnLines(record), byPrices(prices, record)]).toEqual([record.cost, record.cost]);
      }),
      { numRuns: rounds(250) },
    );
  });

  it('matches the bill of the call at other prices if it is made with them', () => {
    fc.assert(
      fc.property(tokenPrices, tokenPrices, report, (prices, others, usage) => {
        const record = recordOf(prices, [], usage);
        expect(byPrices(others, record)).toBe(priceUsage(others, pricedTerms(prices, []), usage).amount);
      }),
      { numRuns: rounds(250) },
    );
  });
});
