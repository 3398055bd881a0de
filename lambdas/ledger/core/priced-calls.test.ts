import { beforeAll, describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../tools/test-kit/search.ts';
import { parseCatalog } from '../../inference/core/catalog/catalog-document.ts';
import type { PricedFeature } from '../../inference/core/fields/need.ts';
import { PromptTokens } from '../../inference/core/metering/estimate.ts';
import { Meter } from '../../inference/core/metering/meter.ts';
import { promptSizeOf } from '../../inference/core/metering/prompt-size.ts';
import { amountOf } from '../../inference/core/pricing/bill.ts';
import {
  type BillableItems,
  billableItemsOf,
  worstCost,
} from '../../inference/core/pricing/billable-items.ts';
import type { TokenPrices } from '../../inference/core/pricing/prices.ts';
import type { TokenUsage } from '../../inference/core/pricing/token-usage.ts';
import { pricedFeature, report, tokenPrices } from '../../inference/testing/pricing/arbitraries.ts';
import { fileDatabase } from '../../platform/testing/file-database.ts';
import {
  callOf,
  HOLD_TTL_SECONDS,
  ledgerOf,
  NOON_MS,
  openAccount,
  openLedger,
  sweep,
  type TestAccount,
  type TestLedger,
} from '../testing/running-ledger.ts';

const BALANCE = 10n ** 17n;
const UNCAPPED = {};
const MAX_TOKENS = { prompt: 2_000, completion: 2_000 };

const database = fileDatabase();
let ledger: TestLedger;
let nowMs = NOON_MS;

beforeAll(async () => {
  ledger = openLedger({ clients: database, clock: () => nowMs });
});

const { models } = parseCatalog({
  models: [
    {
      id: 'a/b',
      type: 'chat',
      owned_by: 'a',
      created: 1,
      price: { unit: 'per_million_tokens', input: 1, output: 1 },
      routes: [{ id: 'r', protocol: 'openai', base_url: 'https://a.test/v1', upstream_model: 'm' }],
    },
  ],
});

interface PricedCall {
  readonly prices: TokenPrices;
  readonly terms: BillableItems;
  readonly reports: readonly TokenUsage[];
  /** The outcome of the call. `died`: its process ended before it settled the call. */
  readonly end: 'completed' | 'interrupted' | 'died';
}

const pricedCall: fc.Arbitrary<PricedCall> = fc
  .tuple(
    tokenPrices,
    fc.array(pricedFeature, { maxLength: 3 }),
    fc.array(report, { maxLength: 3 }),
    fc.constantFrom('completed' as const, 'completed' as const, 'interrupted' as const, 'died' as const),
  )
  .map(([prices, pricedFeatures, reports, end]) => ({
    prices,
    terms: pricedItems(prices, pricedFeatures),
    reports,
    end,
  }));

/** The terms of as many of the pricedFeatures as have a price. */
function pricedItems(prices: TokenPrices, pricedFeatures: readonly PricedFeature[]): BillableItems {
  const priced = pricedFeatures.filter((each) => !('unpriced' in billableItemsOf(prices, [each])));
  const terms = billableItemsOf(prices, priced);
  return 'unpriced' in terms ? pricedItems(prices, priced.slice(1)) : terms;
}

async function run(account: TestAccount, { prices, terms, reports, end }: PricedCall): Promise<void> {
  const [model] = models;
  const [route] = model?.routes ?? [];
  if (model === undefined || route === undefined) throw new Error('the catalog is empty');
  const amount = worstCost(prices, terms, MAX_TOKENS);
  const admission = await ledger.ledger.admit(callOf(account.keys[0], amount));
  if (end === 'died') return;
  const meter = new Meter({
    candidate: { model: { ...model, price: prices }, route },
    admission,
    prompt: new PromptTokens(promptSizeOf({ messages: [{ role: 'user', content: 'Hello.' }] })),
    billableItems: terms,
    catalog: 'v1',
    bound: MAX_TOKENS,
    onExcess: () => {},
  });
  for (const usage of reports) meter.add({ outputText: 'some words ', usage });
  await meter.settle(end);
}

describe('calls of any price, with tiers and features, all at once', () => {
  it('never cost more than their holds, match their line items, and leave an exact ledger', async () => {
    let featured = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(pricedCall, { minLength: 8, maxLength: 16 }), async (calls) => {
        nowMs = NOON_MS;
        const account = await openAccount(database.client, BALANCE, UNCAPPED);
        await Promise.all(calls.map((call) => run(account, call)));
        const open = await ledgerOf(database.client, account);
        expect(open.audit.exact).toBe(true);
        nowMs += (HOLD_TTL_SECONDS + 1) * 1_000;
        await sweep(ledger, database.client);
        const { audit, records, wallet } = await ledgerOf(database.client, account);
        expect(records).toHaveLength(calls.length);
        for (const record of records) {
          expect(record.cost).toBeLessThanOrEqual(record.heldAmount ?? 0n);
          expect(record.cost + (record.waived ?? 0n)).toBe(amountOf(record.lines ?? []));
          if (
            record.serviceTier !== undefined ||
            record.lines?.some(({ item }) => item.startsWith('feature:'))
          )
            featured += 1;
        }
        const spentAmount = records.reduce((sum, { cost }) => sum + cost, 0n);
        expect(wallet).toMatchObject({ balance: BALANCE - spentAmount, holds: [] });
        expect(audit).toMatchObject({ exact: true, usage: spentAmount, held: 0n });
      }),
      { numRuns: 12 * Number(process.env.THOROUGH ?? 1), endOnFailure: true },
    );
    expect(featured).toBeGreaterThan(0);
  });
});
