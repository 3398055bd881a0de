import { describe, expect, jest } from '@jest/globals';
import fc from 'fast-check';
import { parseCatalog } from '../../../../lambdas/core/inference/catalog/catalog-document.ts';
import type { Demand } from '../../../../lambdas/core/inference/levers/demand.ts';
import { Meter } from '../../../../lambdas/core/inference/metering/meter.ts';
import { promptSizeOf } from '../../../../lambdas/core/inference/metering/prompt-size.ts';
import { amountOf } from '../../../../lambdas/core/inference/pricing/bill.ts';
import type { Prices, TokenPrices } from '../../../../lambdas/core/inference/pricing/prices.ts';
import { termsOf, worstCost } from '../../../../lambdas/core/inference/pricing/terms.ts';
import type { Admission } from '../../../../lambdas/core/ledger/admission.ts';
import type { Outcome } from '../../../../lambdas/core/ledger/usage-record.ts';
import { it } from '../../../search.ts';
import { rounds } from '../../../thorough.ts';
import { demand, report, termsFor, tokenPrices, tokenPricesOf } from '../pricing/arbitraries.ts';

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

const MOST = { prompt: 500, completion: 2_000 };

/** A meter over a hold of that amount, and the outcome it settled with. */
function metered(amount: bigint, demands: readonly Demand[] = [], prices?: TokenPrices, cost?: Prices) {
  const [given] = models;
  const model = given === undefined || prices === undefined ? given : { ...given, price: prices };
  const [first] = model?.routes ?? [];
  if (model === undefined || first === undefined) throw new Error('no model');
  const outcomes: Outcome[] = [];
  const admission = {
    hold: { amount },
    headers: {},
    settle: async (outcome: Outcome) => {
      outcomes.push(outcome);
      return { record: {}, balance: undefined };
    },
  } as unknown as Admission;
  const prompt = promptSizeOf({ messages: [{ role: 'user', content: 'How are you?' }] });
  const candidate = { model, route: { ...first, cost } };
  const onImpossible = jest.fn();
  return {
    meter: new Meter({
      candidate,
      admission,
      prompt,
      terms: termsFor(model.price, demands),
      catalog: 'v1',
      most: MOST,
      onImpossible,
    }),
    outcomes,
    onImpossible,
  };
}

describe('what an answer is settled on', () => {
  it('is what the route reports, also beyond the hold', async () => {
    const { meter, outcomes } = metered(1_000n);
    meter.add({ text: 'I am well.', usage: { promptTokens: 100, cachedTokens: 40, completionTokens: 10 } });
    await meter.settle('completed');
    // 60 fresh at 1,000 nano-USD, 40 cached at 500, 10 written at 2,000: each token once.
    expect(outcomes).toMatchObject([
      { cost: 100_000n, estimated: false, inputUnits: 100, cachedUnits: 40, tokens: 110 },
    ]);
  });

  it('is the service’s own count where the route reports nothing, and says so', async () => {
    const { meter, outcomes } = metered(1_000_000_000n);
    meter.add({ text: 'I am well, thank you.' });
    await meter.settle('interrupted');
    const [outcome] = outcomes;
    expect(outcome).toMatchObject({ estimated: true, cachedUnits: 0, status: 'interrupted' });
    expect(outcome?.outputUnits).toBeGreaterThan(3);
    expect(outcome?.cost).toBe(
      BigInt(outcome?.inputUnits ?? 0) * 1_000n + BigInt(outcome?.outputUnits ?? 0) * 2_000n,
    );
  });

  it('is never more than the hold when the service counted itself', async () => {
    const { meter, outcomes } = metered(7n);
    for (let word = 0; word < 1_000; word += 1) meter.add({ text: 'word ' });
    await meter.settle('completed');
    expect(outcomes).toMatchObject([{ cost: 7n, estimated: true }]);
  });

  it('is the last of several reports', async () => {
    const { meter, outcomes } = metered(1_000_000_000n);
    meter.add({ text: 'a', usage: { promptTokens: 10, cachedTokens: 0, completionTokens: 1 } });
    meter.add({ text: 'b', usage: { promptTokens: 10, cachedTokens: 0, completionTokens: 2 } });
    await meter.settle('completed');
    expect(outcomes).toMatchObject([{ inputUnits: 10, outputUnits: 2 }]);
  });
});

describe('what a route reports', () => {
  const usage = (promptTokens: number, completionTokens: number, cachedTokens = 0) => ({
    promptTokens,
    completionTokens,
    cachedTokens,
  });

  it('is believed up to what the call can count', async () => {
    const { meter, outcomes, onImpossible } = metered(1_000_000_000n);
    meter.add({ text: 'a', usage: usage(1e12, 1e12, 1e12) });
    expect(meter.usage).toMatchObject(usage(500, 2_000, 500));
    await meter.settle('completed');
    expect(outcomes).toMatchObject([
      { inputUnits: 500, cachedUnits: 500, outputUnits: 2_000, cost: 4_250_000n, estimated: false },
    ]);
    expect(onImpossible).toHaveBeenCalledTimes(1);
  });

  it('is no figure where it is nothing for words that came, or fewer tokens than they can be', async () => {
    for (const completion of [0, 1]) {
      const { meter, outcomes } = metered(1_000_000_000n);
      meter.add({ text: 'word '.repeat(100), usage: usage(100, completion) });
      await meter.settle('completed');
      expect(outcomes).toMatchObject([{ inputUnits: 100, estimated: true }]);
      expect(outcomes[0]?.outputUnits).toBeGreaterThan(50);
    }
  });

  it('is no figure where it is nothing for a prompt that was read', async () => {
    const { meter, outcomes } = metered(1_000_000_000n);
    meter.add({ text: 'fine', usage: usage(0, 3) });
    await meter.settle('completed');
    expect(outcomes).toMatchObject([{ outputUnits: 3, estimated: true }]);
    expect(outcomes[0]?.inputUnits).toBeGreaterThan(10);
  });

  it('stands when a later event of the stream takes it back', async () => {
    const { meter, outcomes } = metered(1_000_000_000n);
    meter.add({ text: 'I am well.', usage: usage(100, 10) });
    meter.add({ text: '', usage: usage(0, 0) });
    await meter.settle('completed');
    expect(outcomes).toMatchObject([{ inputUnits: 100, outputUnits: 10, estimated: false }]);
  });

  it('counts for no less than the words that came before the answer broke off', async () => {
    const { meter, outcomes } = metered(1_000_000_000n);
    meter.add({ text: '', usage: usage(100, 0) });
    for (let word = 0; word < 100; word += 1) meter.add({ text: 'word ' });
    await meter.settle('interrupted');
    expect(outcomes).toMatchObject([{ inputUnits: 100, estimated: true }]);
    expect(outcomes[0]?.outputUnits).toBeGreaterThan(50);
  });

  it('counts for what it is when the service’s own count would exceed the hold', async () => {
    const { meter, outcomes } = metered(7n);
    meter.add({ text: '', usage: usage(100, 0) });
    for (let word = 0; word < 100; word += 1) meter.add({ text: 'word ' });
    await meter.settle('interrupted');
    expect(outcomes).toMatchObject([{ cost: 100_000n, estimated: true }]);
  });

  it('of an answer without words may be nothing', async () => {
    const { meter, outcomes } = metered(1_000_000_000n);
    meter.add({ text: '', usage: usage(100, 0) });
    await meter.settle('completed');
    expect(outcomes).toMatchObject([{ cost: 100_000n, outputUnits: 0, estimated: false }]);
  });
});

describe('the bill of a call', () => {
  const text = fc.array(fc.stringMatching(/^[a-z ]{0,400}$/), { maxLength: 4 });
  const status = fc.constantFrom('completed' as const, 'interrupted' as const);

  it('can be made again from its record alone, and is within what is held for the worst that the call can count', async () => {
    let waived = 0;
    await fc.assert(
      fc.asyncProperty(
        tokenPrices,
        fc.array(demand, { maxLength: 3 }),
        text,
        fc.array(report, { maxLength: 3 }),
        status,
        async (prices, asked, texts, reports, ended) => {
          const terms = termsOf(prices, asked);
          if ('unpriced' in terms) return;
          const hold = worstCost(prices, terms, MOST);
          const { meter, outcomes } = metered(hold, asked, prices);
          for (const [at, each] of texts.entries()) meter.add({ text: each, usage: reports[at] });
          await meter.settle(ended);
          const [outcome] = outcomes;
          expect(outcome?.cost).toBeLessThanOrEqual(hold);
          expect((outcome?.cost ?? 0n) + (outcome?.waived ?? 0n)).toBe(amountOf(outcome?.lines ?? []));
          expect(outcome?.waived).toBeGreaterThanOrEqual(0n);
          expect(outcome?.catalog).toBe('v1');
          if ((outcome?.waived ?? 0n) > 0n) waived += 1;
        },
      ),
      { numRuns: rounds(200) },
    );
    expect(waived).toBe(0);
  });

  it('names what the service counted beyond the hold, which is not charged', async () => {
    const { meter, outcomes } = metered(7n);
    meter.add({ text: 'word '.repeat(100) });
    await meter.settle('completed');
    const [outcome] = outcomes;
    expect(outcome?.waived).toBe(amountOf(outcome?.lines ?? []) - 7n);
  });

  it('has what the provider takes for the same counts beside it', async () => {
    const price = tokenPricesOf({ input: '2', output: '4', service_tiers: { priority: { factor: '2' } } });
    const cost = tokenPricesOf({ input: '1', output: '3', service_tiers: { priority: { factor: '3' } } });
    const asked: Demand = { kind: 'service-tier', name: 'priority', param: 'service_tier' };
    const { meter, outcomes } = metered(1_000_000n, [asked], price, cost);
    meter.add({ text: 'a', usage: { promptTokens: 10, cachedTokens: 0, completionTokens: 1 } });
    await meter.settle('completed');
    expect(outcomes).toMatchObject([{ cost: 48_000n, providerCost: 39_000n, serviceTier: 'priority' }]);
  });
});

describe('a model without a price', () => {
  it('cannot enter the catalog, nor one with a negative or absurd price', () => {
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
