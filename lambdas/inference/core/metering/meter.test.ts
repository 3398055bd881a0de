import { describe, expect, jest } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../tools/test-kit/search.ts';
import { rounds } from '../../../../tools/test-kit/thorough.ts';
import type { CallOutcome, CallStatus } from '../../../ledger/core/usage-record.ts';
import { recordedAdmission } from '../../testing/admission.ts';
import { candidateOf } from '../../testing/catalog/models.ts';
import {
  billableItemsFor,
  pricedFeature,
  report,
  tokenPrices,
  tokenPricesOf,
} from '../../testing/pricing/arbitraries.ts';
import type { PricedFeature } from '../fields/need.ts';
import { amountOf } from '../pricing/bill.ts';
import { type BillableItems, billableItemsOf, worstCost } from '../pricing/billable-items.ts';
import type { Prices, TokenPrices } from '../pricing/prices.ts';
import { laterUsage, NO_TOKENS, type TokenUsage } from '../pricing/token-usage.ts';
import { PromptTokens } from './estimate.ts';
import { Meter } from './meter.ts';
import { priceUsage } from './priced-usage.ts';
import { promptSizeOf } from './prompt-size.ts';
import { boundTokens } from './token-bound.ts';

const BOUND = { prompt: 500, completion: 2_000 };

interface Metering {
  readonly pricedFeatures?: readonly PricedFeature[];
  /** Those of the model, where they are not the usual ones. */
  readonly prices?: TokenPrices;
  /** The prices of the provider. */
  readonly cost?: Prices;
  readonly prompt?: string;
  readonly hold?: bigint;
  readonly status?: CallStatus;
}

const promptOf = (text: string) =>
  new PromptTokens(promptSizeOf({ messages: [{ role: 'user', content: text }] }));

type Chunk = Parameters<Meter['add']>[0];

/** The meter of a call with these chunks, and its settlement on a hold of a dollar unless the test gives another. */
async function settled(
  chunks: readonly Chunk[],
  {
    hold = 1_000_000_000n,
    status = 'completed',
    pricedFeatures = [],
    prices,
    cost,
    prompt = 'How are you?',
  }: Metering = {},
) {
  const { model: plain, route } = candidateOf({
    price: { unit: 'per_million_tokens', input: 1, output: 2, cached_input: 0.5 },
  });
  const model = prices === undefined ? plain : { ...plain, price: prices };
  const { admission, outcomes } = recordedAdmission(hold);
  const onExcess = jest.fn();
  const meter = new Meter({
    candidate: { model, route: { ...route, cost } },
    admission,
    prompt: promptOf(prompt),
    billableItems: billableItemsFor(model.price, pricedFeatures),
    catalog: 'v1',
    bound: BOUND,
    onExcess,
  });
  for (const chunk of chunks) meter.add(chunk);
  await meter.settle(status);
  const [outcome, ...others] = outcomes;
  if (outcome === undefined || others.length > 0) throw new Error('not settled once');
  return { meter, outcome, excesses: onExcess.mock.calls.length };
}

const usage = (promptTokens: number, completionTokens: number, cachedTokens = 0) => ({
  promptTokens,
  completionTokens,
  cachedTokens,
});

describe('the settled usage of a call', () => {
  it('equals the usage that the route reports, up to the whole hold', async () => {
    const chunk = { outputText: 'I am well.', usage: usage(100, 10, 40) };
    const { outcome, excesses } = await settled([chunk], { hold: 100_000n });
    // 60 fresh at 1,000 nano-USD, 40 cached at 500, 10 written at 2,000: each token once.
    expect(outcome).toMatchObject({
      amount: 100_000n,
      estimated: false,
      inputUnits: 100,
      cachedUnits: 40,
      tokens: 110,
    });
    expect([outcome.excess, excesses]).toEqual([undefined, 0]);
  });

  it('equals the service’s own count, flagged as estimated, if the route reports nothing', async () => {
    const chunk = { outputText: 'I am well, thank you.' };
    const { outcome, excesses } = await settled([chunk], { status: 'interrupted', prompt: 'hi there' });
    expect(outcome).toMatchObject({
      estimated: true,
      cachedUnits: 0,
      status: 'interrupted',
      inputUnits: promptOf('hi there').upper(candidateOf().model),
      outputUnits: boundTokens('I am well, thank you.'),
      amount: BigInt(outcome.inputUnits) * 1_000n + BigInt(outcome.outputUnits) * 2_000n,
    });
    expect(excesses).toBe(0);
  });

  it('stops at the bound of the call if the service counted itself, without an excess of the route', async () => {
    const words = Array.from({ length: 3_000 }, () => ({ outputText: 'word ' }));
    const { outcome, excesses } = await settled(words, { prompt: 'Good morning. '.repeat(500) });
    expect(outcome).toMatchObject({
      inputUnits: 500,
      outputUnits: 2_000,
      amount: 4_500_000n,
      estimated: true,
    });
    expect([outcome.excess, excesses]).toEqual([undefined, 0]);
  });
});

describe('reported usage beyond the bound of the call', () => {
  it('stays off the bill', async () => {
    const chunk = { outputText: 'a', usage: usage(1e12, 1e12, 1e12) };
    const { meter, outcome, excesses } = await settled([chunk]);
    expect(meter.usage).toMatchObject(usage(500, 2_000, 500));
    expect(outcome).toMatchObject({
      inputUnits: 500,
      cachedUnits: 500,
      outputUnits: 2_000,
      amount: 4_250_000n,
      estimated: false,
      tokens: 2_500,
    });
    expect(outcome.excess?.amount).toBe((10n ** 12n - 500n) * 500n + (10n ** 12n - 2_000n) * 2_000n);
    expect(excesses).toBe(1);
  });

  // A token of prompt costs 1,000 nano-USD, one from the cache 500, and one of output 2,000.
  it.each<[string, TokenUsage, bigint, number]>([
    ['none at the bound itself', usage(500, 2_000, 500), 0n, 1],
    ['a token of prompt', usage(501, 10), 1_000n, 1.002],
    ['a token of output', usage(100, 2_001), 2_000n, 1.001],
    ['twice the prompt', usage(1_000, 10), 500_000n, 2],
    ['three times the output', usage(100, 6_000), 8_000_000n, 3],
    ['some of both', usage(600, 3_000), 2_100_000n, 1.5],
    ['a prompt from the cache', usage(1_000, 10, 1_000), 250_000n, 2],
    ['a prompt whose cached part is within the bound', usage(600, 10, 500), 100_000n, 1.2],
  ])(
    'counts as an excess at exactly the price of the excess: %s',
    async (_what, reported, amount, factor) => {
      const { outcome, excesses } = await settled([{ outputText: 'a', usage: reported }]);
      const freshCost = BigInt(reported.promptTokens - reported.cachedTokens) * 1_000n;
      const rest = BigInt(reported.cachedTokens) * 500n + BigInt(reported.completionTokens) * 2_000n;
      expect(outcome).toMatchObject({ amount: freshCost + rest - amount, estimated: false });
      expect(outcome.excess).toEqual(amount === 0n ? undefined : { amount, factor });
      expect(excesses).toBe(amount === 0n ? 0 : 1);
    },
  );

  it.each(['completed', 'interrupted'] as const)(
    'counts as an excess once, however often a stream reports it, even if the response is %s',
    async (status) => {
      const chunks = [1, 2, 3].map((completion) => ({ outputText: 'a', usage: usage(700, completion) }));
      const { outcome, excesses } = await settled(chunks, { status });
      expect(outcome).toMatchObject({ inputUnits: 500, excess: { amount: 200_000n, factor: 1.4 } });
      expect(excesses).toBe(1);
    },
  );

  it.each([
    [3, 0],
    [4, 1],
  ])('includes the runs of a tool beyond the requested maximum: %i of 3', async (uses, expected) => {
    const prices = tokenPricesOf({ input: '1', output: '2', features: { web_search: { price: '0.01' } } });
    const pricedFeatures: PricedFeature[] = [
      { kind: 'server-tool', name: 'web_search', maxUses: 3, param: 'tools[0]' },
    ];
    const chunk = { outputText: 'a', usage: { ...usage(100, 10), uses: { web_search: uses } } };
    const { outcome, excesses } = await settled([chunk], { pricedFeatures, prices });
    expect([outcome.amount, excesses]).toEqual([30_120_000n, expected]);
  });
});

describe('the usage that a route reports', () => {
  const counted = boundTokens('word '.repeat(100));

  it.each<[string, readonly Chunk[], CallStatus, Partial<CallOutcome>]>([
    [
      'gives way to the count of the text if it has no tokens for it',
      [{ outputText: 'word '.repeat(100), usage: usage(100, 0) }],
      'completed',
      { inputUnits: 100, outputUnits: counted, estimated: true },
    ],
    [
      'gives way to the count of the text if it has too few tokens for it',
      [{ outputText: 'word '.repeat(100), usage: usage(100, 1) }],
      'completed',
      { inputUnits: 100, outputUnits: counted, estimated: true },
    ],
    [
      'gives way to the count of the prompt if it has no tokens for a prompt that the model has read',
      [{ outputText: 'fine', usage: usage(0, 3) }],
      'completed',
      {
        inputUnits: promptOf('How are you?').upper(candidateOf().model),
        outputUnits: 3,
        estimated: true,
      },
    ],
    [
      'equals the last of several reports',
      [1, 2].map((completion) => ({ outputText: 'a', usage: usage(10, completion) })),
      'completed',
      { inputUnits: 10, outputUnits: 2 },
    ],
    [
      'stays valid if a later event of the stream reports zero tokens',
      [
        { outputText: 'I am well.', usage: usage(100, 10) },
        { outputText: '', usage: usage(0, 0) },
      ],
      'completed',
      { inputUnits: 100, outputUnits: 10, estimated: false },
    ],
    [
      'counts for at least the text that arrived before the response was interrupted',
      [{ outputText: 'word '.repeat(100), usage: usage(100, 4) }],
      'interrupted',
      { inputUnits: 100, outputUnits: counted, estimated: true },
    ],
    [
      'equals the largest counts of a stream whose counts fall',
      [
        { outputText: 'Hi', usage: usage(100, 0, 90) },
        { outputText: '', usage: usage(0, 7) },
      ],
      'completed',
      { inputUnits: 100, cachedUnits: 90, outputUnits: 7, estimated: false },
    ],
    [
      'stays valid with zero output tokens for a response without text',
      [{ outputText: '', usage: usage(100, 0) }],
      'completed',
      { amount: 100_000n, outputUnits: 0, estimated: false },
    ],
  ])('%s', async (_what, chunks, status, expected) => {
    expect((await settled(chunks, { status })).outcome).toMatchObject(expected);
  });
});

describe('the bill of a call', () => {
  const text = fc.array(fc.stringMatching(/^[a-z ]{0,400}$/), { maxLength: 4 });
  const status = fc.constantFrom('completed' as const, 'interrupted' as const);

  /** Returns whether a route reports more than the bound, as a random report often does. */
  const exceeds = ({ promptTokens, completionTokens, uses = {} }: TokenUsage, billableItems: BillableItems) =>
    promptTokens > BOUND.prompt ||
    completionTokens > BOUND.completion ||
    Object.entries(uses).some(([name, count]) => count > (billableItems.uses.get(name) ?? 0));

  it('results from its record alone and never exceeds the hold, whatever the route reports', async () => {
    let excessive = 0;
    await fc.assert(
      fc.asyncProperty(
        tokenPrices,
        fc.array(pricedFeature, { maxLength: 3 }),
        text,
        fc.array(report, { maxLength: 3 }),
        status,
        async (prices, features, strings, reports, isInterrupted) => {
          const billableItems = billableItemsOf(prices, features);
          if ('unpriced' in billableItems) return;
          const hold = worstCost(prices, billableItems, BOUND);
          const chunks = strings.map((outputText, at) => ({ outputText, usage: reports[at] }));
          const metering = { hold, status: isInterrupted, pricedFeatures: features, prices };
          const { outcome, excesses } = await settled(chunks, metering);
          expect(outcome.amount).toBeLessThanOrEqual(hold);
          expect(outcome.amount).toBe(amountOf(outcome.lines ?? []));
          expect(outcome.catalog).toBe('v1');
          expect(outcome.inputUnits).toBeLessThanOrEqual(BOUND.prompt);
          expect(outcome.cachedUnits).toBeLessThanOrEqual(outcome.inputUnits);
          expect(outcome.outputUnits).toBeLessThanOrEqual(BOUND.completion);
          // Counts of a stream are cumulative, so the largest ones are the last.
          const last = reports.slice(0, strings.length).reduce(laterUsage, NO_TOKENS);
          expect(excesses).toBe(exceeds(last, billableItems) ? 1 : 0);
          const excess = outcome.excess?.amount ?? 0n;
          const outputCost = priceUsage(prices, billableItems, last).amount;
          if (!outcome.estimated)
            expect(outcome.amount + excess).toBe(outputCost > outcome.amount ? outputCost : outcome.amount);
          // A report of more cached tokens than prompt contradicts itself, and may be priced in two ways.
          const contradicts = last.cachedTokens > last.promptTokens;
          if (excess > 0n) expect(exceeds(last, billableItems) || contradicts).toBe(true);
          if (excess > 0n) excessive += 1;
        },
      ),
      { numRuns: rounds(200) },
    );
    // The search did meet routes that report too much.
    expect(excessive).toBeGreaterThan(rounds(200) / 20);
  });

  it('includes the provider’s cost for the same counts', async () => {
    const price = tokenPricesOf({ input: '2', output: '4', service_tiers: { priority: { factor: '2' } } });
    const cost = tokenPricesOf({ input: '1', output: '3', service_tiers: { priority: { factor: '3' } } });
    const features: PricedFeature = { kind: 'service-tier', name: 'priority', param: 'service_tier' };
    const metering = { pricedFeatures: [features], prices: price, cost };
    const { outcome } = await settled([{ outputText: 'a', usage: usage(10, 1) }], metering);
    expect(outcome).toMatchObject({ amount: 48_000n, providerCost: 39_000n, serviceTier: 'priority' });
  });
});
