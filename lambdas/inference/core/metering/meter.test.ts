import { describe, expect, jest } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../tools/test-kit/search.ts';
import { rounds } from '../../../../tools/test-kit/thorough.ts';
import type { Admission } from '../../../ledger/core/admission.ts';
import type { CallOutcome } from '../../../ledger/core/usage-record.ts';
import {
  billableItemsFor,
  pricedFeature,
  report,
  tokenPrices,
  tokenPricesOf,
} from '../../testing/pricing/arbitraries.ts';
import { parseCatalog } from '../catalog/catalog-document.ts';
import type { PricedFeature } from '../fields/need.ts';
import { amountOf } from '../pricing/bill.ts';
import { type BillableItems, billableItemsOf, worstCost } from '../pricing/billable-items.ts';
import type { Prices, TokenPrices } from '../pricing/prices.ts';
import { NO_TOKENS, type TokenUsage } from '../pricing/token-usage.ts';
import { Meter } from './meter.ts';
import { priceUsage } from './priced-usage.ts';
import { promptSizeOf } from './prompt-size.ts';
import { boundTokens } from './token-bound.ts';

const route = { id: 'r', protocol: 'openai', base_url: 'http://127.0.0.1/v1', upstream_model: 'm' };
const { models } = parseCatalog({
  models: [
    {
      id: 'a/b',
      type: 'chat',
      owned_by: 'a',
      created: 1,
      price: { unit: 'per_million_tokens', input: 1, output: 2, cached_input: 0.5 },
      routes: [route],
    },
  ],
});

const BOUND = { prompt: 500, completion: 2_000 };

interface Metering {
  readonly pricedFeatures?: readonly PricedFeature[];
  /** Those of the model, where they are not the usual ones. */
  readonly prices?: TokenPrices;
  /** The prices of the provider. */
  readonly cost?: Prices;
  /** The words of the prompt. */
  readonly words?: string;
}

/** A meter over a hold of that amount, and the outcome it settled with. */
function metered(
  amount: bigint,
  { pricedFeatures = [], prices, cost, words = 'How are you?' }: Metering = {},
) {
  const [firstModel] = models;
  const model =
    firstModel === undefined || prices === undefined ? firstModel : { ...firstModel, price: prices };
  const [first] = model?.routes ?? [];
  if (model === undefined || first === undefined) throw new Error('no model');
  const outcomes: CallOutcome[] = [];
  const admission = {
    hold: { amount },
    headers: {},
    settle: async (outcome: CallOutcome) => {
      outcomes.push(outcome);
      return { record: {}, balance: undefined };
    },
  } as unknown as Admission;
  const prompt = promptSizeOf({ messages: [{ role: 'user', content: words }] });
  const candidate = { model, route: { ...first, cost } };
  const onExcess = jest.fn();
  return {
    meter: new Meter({
      candidate,
      admission,
      prompt,
      billableItems: billableItemsFor(model.price, pricedFeatures),
      catalog: 'v1',
      bound: BOUND,
      onExcess,
    }),
    outcomes,
    onExcess,
  };
}

const usage = (promptTokens: number, completionTokens: number, cachedTokens = 0) => ({
  promptTokens,
  completionTokens,
  cachedTokens,
});

describe('the settled usage of a call', () => {
  it('equals the usage that the route reports, up to the whole hold', async () => {
    const { meter, outcomes, onExcess } = metered(100_000n);
    meter.add({
      outputText: 'I am well.',
      usage: { promptTokens: 100, cachedTokens: 40, completionTokens: 10 },
    });
    await meter.settle('completed');
    // 60 fresh at 1,000 nano-USD, 40 cached at 500, 10 written at 2,000: each token once.
    expect(outcomes).toMatchObject([
      { cost: 100_000n, waived: 0n, estimated: false, inputUnits: 100, cachedUnits: 40, tokens: 110 },
    ]);
    expect(outcomes.map(({ unbilled }) => unbilled)).toEqual([undefined]);
    expect(onExcess).not.toHaveBeenCalled();
  });

  it('equals the service’s own count, flagged as estimated, if the route reports nothing', async () => {
    const { meter, outcomes, onExcess } = metered(1_000_000_000n);
    meter.add({ outputText: 'I am well, thank you.' });
    await meter.settle('interrupted');
    const [outcome] = outcomes;
    expect(outcome).toMatchObject({ estimated: true, cachedUnits: 0, status: 'interrupted' });
    expect(outcome?.outputUnits).toBe(boundTokens('I am well, thank you.'));
    expect(outcome?.cost).toBe(
      BigInt(outcome?.inputUnits ?? 0) * 1_000n + BigInt(outcome?.outputUnits ?? 0) * 2_000n,
    );
    expect(onExcess).not.toHaveBeenCalled();
  });

  it('equals about ten prompt tokens for two words if the route reports nothing', async () => {
    const { meter, outcomes } = metered(1_000_000_000n, { words: 'hi there' });
    meter.add({ outputText: 'Hello!' });
    await meter.settle('completed');
    expect(outcomes).toMatchObject([{ estimated: true }]);
    expect(outcomes[0]?.inputUnits).toBeGreaterThanOrEqual(8);
    expect(outcomes[0]?.inputUnits).toBeLessThanOrEqual(13);
  });

  it('stops at the bound of the call if the service counted itself, without an excess of the route', async () => {
    const { meter, outcomes, onExcess } = metered(1_000_000_000n, { words: 'Good morning. '.repeat(500) });
    for (let word = 0; word < 3_000; word += 1) meter.add({ outputText: 'word ' });
    await meter.settle('completed');
    expect(outcomes).toMatchObject([
      { inputUnits: 500, outputUnits: 2_000, cost: 4_500_000n, waived: 0n, estimated: true },
    ]);
    expect(outcomes.map(({ unbilled }) => unbilled)).toEqual([undefined]);
    expect(onExcess).not.toHaveBeenCalled();
  });

  it.each<[string, TokenUsage | undefined, boolean]>([
    ['the service', undefined, true],
    ['the route', usage(100, 1_000), false],
    ['each a part', usage(100, 0), true],
  ])('never exceeds the hold, whoever counted: %s', async (_who, reported, estimated) => {
    const { meter, outcomes } = metered(7n);
    for (let word = 0; word < 1_000; word += 1) meter.add({ outputText: 'word ' });
    meter.add({ outputText: '', usage: reported });
    await meter.settle('completed');
    expect(outcomes).toMatchObject([{ cost: 7n, estimated }]);
  });

  it('equals the last of several reports', async () => {
    const { meter, outcomes } = metered(1_000_000_000n);
    meter.add({ outputText: 'a', usage: { promptTokens: 10, cachedTokens: 0, completionTokens: 1 } });
    meter.add({ outputText: 'b', usage: { promptTokens: 10, cachedTokens: 0, completionTokens: 2 } });
    await meter.settle('completed');
    expect(outcomes).toMatchObject([{ inputUnits: 10, outputUnits: 2 }]);
  });
});

describe('reported usage beyond the bound of the call', () => {
  it('stays off the bill', async () => {
    const { meter, outcomes, onExcess } = metered(1_000_000_000n);
    meter.add({ outputText: 'a', usage: usage(1e12, 1e12, 1e12) });
    expect(meter.usage).toMatchObject(usage(500, 2_000, 500));
    await meter.settle('completed');
    expect(outcomes).toMatchObject([
      { inputUnits: 500, cachedUnits: 500, outputUnits: 2_000, cost: 4_250_000n, estimated: false },
    ]);
    expect(outcomes[0]?.unbilled?.amount).toBe((10n ** 12n - 500n) * 500n + (10n ** 12n - 2_000n) * 2_000n);
    expect(outcomes[0]?.tokens).toBe(2_500);
    expect(onExcess).toHaveBeenCalledTimes(1);
  });

  // A token of prompt costs 1,000 nano-USD, one from the cache 500, and one of output 2,000.
  it.each<[string, TokenUsage, bigint, number]>([
    ['a token of prompt', usage(501, 10), 1_000n, 1.002],
    ['a token of output', usage(100, 2_001), 2_000n, 1.001],
    ['twice the prompt', usage(1_000, 10), 500_000n, 2],
    ['three times the output', usage(100, 6_000), 8_000_000n, 3],
    ['some of both', usage(600, 3_000), 2_100_000n, 1.5],
    ['a prompt from the cache', usage(1_000, 10, 1_000), 250_000n, 2],
    ['a prompt whose cached part is within the bound', usage(600, 10, 500), 100_000n, 1.2],
  ])('counts as unbilled at exactly the price of the excess: %s', async (_what, reported, amount, factor) => {
    const { meter, outcomes, onExcess } = metered(1_000_000_000n);
    meter.add({ outputText: 'a', usage: reported });
    await meter.settle('completed');
    const outputCost = BigInt(reported.promptTokens - reported.cachedTokens) * 1_000n;
    const rest = BigInt(reported.cachedTokens) * 500n + BigInt(reported.completionTokens) * 2_000n;
    expect(outcomes).toMatchObject([
      { cost: outputCost + rest - amount, waived: 0n, estimated: false, unbilled: { amount, factor } },
    ]);
    expect(onExcess).toHaveBeenCalledTimes(1);
  });

  it('starts one token above the bound', async () => {
    const { meter, outcomes, onExcess } = metered(1_000_000_000n);
    meter.add({ outputText: 'a', usage: usage(500, 2_000, 500) });
    await meter.settle('completed');
    expect(outcomes).toMatchObject([{ inputUnits: 500, outputUnits: 2_000, cost: 4_250_000n }]);
    expect(outcomes.map(({ unbilled }) => unbilled)).toEqual([undefined]);
    expect(onExcess).not.toHaveBeenCalled();
  });

  it('counts as unbilled once, however often a stream reports it, even if the response is interrupted', async () => {
    for (const status of ['completed', 'interrupted'] as const) {
      const { meter, outcomes, onExcess } = metered(1_000_000_000n);
      for (const completion of [1, 2, 3]) meter.add({ outputText: 'a', usage: usage(700, completion) });
      await meter.settle(status);
      expect(outcomes).toMatchObject([{ inputUnits: 500, unbilled: { amount: 200_000n, factor: 1.4 } }]);
      expect(onExcess).toHaveBeenCalledTimes(1);
    }
  });

  it('includes the runs of a tool beyond the requested maximum', async () => {
    const prices = tokenPricesOf({ input: '1', output: '2', features: { web_search: { price: '0.01' } } });
    const features: PricedFeature = {
      kind: 'server-tool',
      name: 'web_search',
      maxUses: 3,
      param: 'tools[0]',
    };
    for (const [uses, calls] of [
      [3, 0],
      [4, 1],
    ] as const) {
      const { meter, outcomes, onExcess } = metered(1_000_000_000n, { pricedFeatures: [features], prices });
      meter.add({ outputText: 'a', usage: { ...usage(100, 10), uses: { web_search: uses } } });
      await meter.settle('completed');
      expect(outcomes).toMatchObject([{ cost: 30_120_000n }]);
      expect(onExcess).toHaveBeenCalledTimes(calls);
    }
  });
});

describe('the usage that a route reports', () => {
  it('yields to an estimate if it has no tokens, or too few, for the received text', async () => {
    for (const completion of [0, 1]) {
      const { meter, outcomes } = metered(1_000_000_000n);
      meter.add({ outputText: 'word '.repeat(100), usage: usage(100, completion) });
      await meter.settle('completed');
      expect(outcomes).toMatchObject([{ inputUnits: 100, estimated: true }]);
      expect(outcomes[0]?.outputUnits).toBeGreaterThan(50);
    }
  });

  it('yields to an estimate if it has no tokens for a prompt that the model has read', async () => {
    const { meter, outcomes } = metered(1_000_000_000n);
    meter.add({ outputText: 'fine', usage: usage(0, 3) });
    await meter.settle('completed');
    expect(outcomes).toMatchObject([{ outputUnits: 3, estimated: true }]);
    expect(outcomes[0]?.inputUnits).toBeGreaterThan(10);
  });

  it('stays valid if a later event of the stream reports zero tokens', async () => {
    const { meter, outcomes } = metered(1_000_000_000n);
    meter.add({ outputText: 'I am well.', usage: usage(100, 10) });
    meter.add({ outputText: '', usage: usage(0, 0) });
    await meter.settle('completed');
    expect(outcomes).toMatchObject([{ inputUnits: 100, outputUnits: 10, estimated: false }]);
  });

  it('counts for at least the text that arrived before the response was interrupted', async () => {
    const { meter, outcomes } = metered(1_000_000_000n);
    meter.add({ outputText: '', usage: usage(100, 0) });
    for (let word = 0; word < 100; word += 1) meter.add({ outputText: 'word ' });
    await meter.settle('interrupted');
    expect(outcomes).toMatchObject([{ inputUnits: 100, estimated: true }]);
    expect(outcomes[0]?.outputUnits).toBeGreaterThan(50);
  });

  it('stays valid with zero output tokens for a response without text', async () => {
    const { meter, outcomes } = metered(1_000_000_000n);
    meter.add({ outputText: '', usage: usage(100, 0) });
    await meter.settle('completed');
    expect(outcomes).toMatchObject([{ cost: 100_000n, outputUnits: 0, estimated: false }]);
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
    let unbilled = 0;
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
          const { meter, outcomes, onExcess } = metered(hold, { pricedFeatures: features, prices });
          for (const [at, each] of strings.entries()) meter.add({ outputText: each, usage: reports[at] });
          await meter.settle(isInterrupted);
          const [outcome] = outcomes;
          if (outcome === undefined) throw new Error('not settled');
          expect(outcome.cost).toBeLessThanOrEqual(hold);
          expect(outcome.cost).toBe(amountOf(outcome.lines ?? []));
          expect(outcome.waived).toBe(0n);
          expect(outcome.catalog).toBe('v1');
          expect(outcome.inputUnits).toBeLessThanOrEqual(BOUND.prompt);
          expect(outcome.cachedUnits).toBeLessThanOrEqual(outcome.inputUnits);
          expect(outcome.outputUnits).toBeLessThanOrEqual(BOUND.completion);
          // Figures of a stream are cumulative, so the last is the highest of those that count.
          const last = reports
            .slice(0, strings.length)
            .reduce<TokenUsage>((a, b) => (b.completionTokens >= a.completionTokens ? b : a), NO_TOKENS);
          expect(onExcess).toHaveBeenCalledTimes(exceeds(last, billableItems) ? 1 : 0);
          const excess = outcome.unbilled?.amount ?? 0n;
          const outputCost = priceUsage(prices, billableItems, last).amount;
          if (!outcome.estimated)
            expect(outcome.cost + excess).toBe(outputCost > outcome.cost ? outputCost : outcome.cost);
          // A report of more cached tokens than prompt contradicts itself, and may be priced in two ways.
          const contradicts = last.cachedTokens > last.promptTokens;
          if (excess > 0n) expect(exceeds(last, billableItems) || contradicts).toBe(true);
          if (excess > 0n) unbilled += 1;
        },
      ),
      { numRuns: rounds(200) },
    );
    // The search did meet routes that report too much.
    expect(unbilled).toBeGreaterThan(rounds(200) / 20);
  });

  it('never exceeds a hold below the highest possible cost, and states the waived amount', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.bigInt({ min: 0n, max: 6_000_000n }),
        text,
        fc.array(report, { maxLength: 3 }),
        status,
        async (hold, strings, reports, isInterrupted) => {
          const { meter, outcomes } = metered(hold);
          for (const [at, each] of strings.entries()) meter.add({ outputText: each, usage: reports[at] });
          await meter.settle(isInterrupted);
          const [outcome] = outcomes;
          if (outcome === undefined) throw new Error('not settled');
          const amount = amountOf(outcome.lines ?? []);
          expect(outcome.cost).toBe(amount < hold ? amount : hold);
          expect(outcome.waived).toBe(amount - outcome.cost);
        },
      ),
      { numRuns: rounds(100) },
    );
  });

  it('names what the service counted beyond the hold, which is not charged', async () => {
    const { meter, outcomes } = metered(7n);
    meter.add({ outputText: 'word '.repeat(100) });
    await meter.settle('completed');
    const [outcome] = outcomes;
    expect(outcome?.waived).toBe(amountOf(outcome?.lines ?? []) - 7n);
  });

  it('includes the provider’s cost for the same counts', async () => {
    const price = tokenPricesOf({ input: '2', output: '4', service_tiers: { priority: { factor: '2' } } });
    const cost = tokenPricesOf({ input: '1', output: '3', service_tiers: { priority: { factor: '3' } } });
    const features: PricedFeature = { kind: 'service-tier', name: 'priority', param: 'service_tier' };
    const { meter, outcomes } = metered(1_000_000n, { pricedFeatures: [features], prices: price, cost });
    meter.add({ outputText: 'a', usage: { promptTokens: 10, cachedTokens: 0, completionTokens: 1 } });
    await meter.settle('completed');
    expect(outcomes).toMatchObject([{ cost: 48_000n, providerCost: 39_000n, serviceTier: 'priority' }]);
  });
});

describe('a model without a price', () => {
  it('fails validation, as does one with a negative or absurd price', () => {
    const model = { id: 'a/b', type: 'chat', owned_by: 'a', created: 1, routes: [route] };
    const prices = [
      undefined,
      { unit: 'per_million_tokens' },
      { unit: 'per_million_tokens', input: 1 },
      { unit: 'per_million_tokens', input: -1, output: 1 },
      { unit: 'per_million_tokens', input: 1e12, output: 1 },
      { unit: 'per_million_tokens', input: 0.00000000001, output: 1 },
      { unit: 'per_image', image: 1 },
    ];
    for (const price of prices) {
      expect(() => parseCatalog({ models: [{ ...model, price }] })).toThrow(/models\[0\]\.price/);
    }
  });
});
