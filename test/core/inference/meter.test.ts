import { describe, expect, it } from '@jest/globals';
import { parseCatalog } from '../../../lambdas/core/inference/catalog-document.ts';
import { Meter } from '../../../lambdas/core/inference/meter.ts';
import type { Admission } from '../../../lambdas/core/ledger/admission.ts';
import type { Outcome } from '../../../lambdas/core/ledger/usage-record.ts';

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

/** A meter over a hold of that amount, and the outcome it settled with. */
function metered(amount: bigint) {
  const [model] = models;
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
  const prompt = { texts: ['How are you?'], images: 0, messages: 1 };
  return { meter: new Meter({ model, route: first }, admission, prompt), outcomes };
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
