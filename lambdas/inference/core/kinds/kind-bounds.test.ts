import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { encode as encodeCl100k } from 'gpt-tokenizer/encoding/cl100k_base';
import { encode as encodeO200k } from 'gpt-tokenizer/encoding/o200k_base';
import { it } from '../../../../tools/test-kit/search.ts';
import { rounds } from '../../../../tools/test-kit/thorough.ts';
import { validate } from '../../../platform/core/json/json-body.ts';
import type { TextResponse } from '../../../platform/core/ports.ts';
import { recordedAdmission } from '../../testing/admission.ts';
import { candidateOf } from '../../testing/catalog/models.ts';
import type { Model } from '../catalog/catalog-document.ts';
import { boundTokens } from '../metering/token-bound.ts';
import type { KindResponse } from './call-kind.ts';
import {
  type EmbeddingOutput,
  type EmbeddingRequest,
  embeddingRequest,
  embeddings,
} from './embeddings/embeddings.ts';
import { speech, speechRequest } from './speech/speech.ts';

/** A nano-dollar a token. */
const priced = (type: 'embeddings' | 'tts', fields: object = {}) =>
  candidateOf({ type, price: { unit: 'per_million_tokens', input: 0.001 }, ...fields }).model;

const words = fc.oneof(
  fc.constantFrom('Good morning', 'ⰰⰱⰲ', 'qjxz', ' '.repeat(300), '🜂🜂'),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
);
const extraFields = fc.dictionary(fc.constantFrom('user', 'instructions', 'x', 'y'), words, { maxKeys: 3 });

const stringsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
};
const tokensOf = (payload: object): number =>
  Math.max(
    ...[encodeO200k, encodeCl100k].map((encode) =>
      stringsIn(payload).reduce((sum, text) => sum + encode(text).length, 0),
    ),
  );

describe('the hold for embeddings', () => {
  const model = priced('embeddings');

  it('covers the tokens of everything that leaves', () => {
    const input = fc.oneof(words, fc.array(words, { minLength: 1, maxLength: 5 }));
    fc.assert(
      fc.property(input, extraFields, (strings, fields) => {
        const request = validate(embeddingRequest, { ...fields, input: strings });
        const { tokens, amount } = embeddings.estimate(request, model);
        expect(Number(amount)).toBe(tokens);
        expect(tokens).toBeGreaterThanOrEqual(tokensOf(embeddings.toPayload(request, model)));
      }),
      { numRuns: rounds(100) },
    );
  });

  it('equals the bound of the texts times the model’s factor, plus two tokens for each, and counts ids unchanged', () => {
    const tokensFor = (input: unknown, fields: object = {}) =>
      embeddings.estimate(validate(embeddingRequest, { input }), priced('embeddings', fields)).tokens;
    const text = 'Good morning, Angela. '.repeat(30);
    const bound = boundTokens(text);
    expect(tokensFor(text)).toBe(bound + 2);
    expect(tokensFor([text, text, text])).toBe(3 * bound + 6);
    expect(tokensFor(text, { token_factor: 1.5 })).toBe(Math.ceil(bound * 1.5) + 2);
    expect(tokensFor([text, text], { token_factor: 16 })).toBe(2 * bound * 16 + 4);
    for (const fields of [{}, { token_factor: 16 }]) {
      expect(tokensFor([5, 6, 7], fields)).toBe(3);
      expect(tokensFor([[5, 6, 7], [8]], fields)).toBe(4);
    }
  });

  it('excludes an input that is certainly too long for the model: it causes an error, alone or in a batch', () => {
    const small = priced('embeddings', { context_window: 50 });
    const long = ' '.repeat(50 * 128 + 1);
    for (const [input, param] of [
      [long, 'input'],
      [['short', long], 'input[1]'],
      [Array.from({ length: 51 }, () => 7), 'input'],
      [[[1], Array.from({ length: 51 }, () => 7)], 'input[1]'],
    ] as const) {
      const request = validate(embeddingRequest, { input });
      expect(() => embeddings.toPayload(request, small)).toThrow(
        expect.objectContaining({ code: 'prompt_too_long', param }),
      );
    }
    const fits = validate(embeddingRequest, { input: [long.slice(1), 'ⰰ'.repeat(60), 'short'] });
    expect(() => embeddings.toPayload(fits, small)).not.toThrow();
  });
});

/** Returns the settlement of a call whose route reports that number of tokens. */
async function settledWith(request: EmbeddingRequest, model: Model, tokens: number | undefined) {
  const [route] = model.routes;
  const estimate = embeddings.estimate(request, model);
  const { admission, outcomes } = recordedAdmission(estimate.amount);
  const deliver = await embeddings.prepare({
    request,
    estimate,
    catalog: 'v1',
    candidate: { model, route },
    output: { embeddings: [], tokens },
    storeResponse: undefined,
    flush: async () => {},
    admission,
  } as unknown as KindResponse<EmbeddingRequest, EmbeddingOutput>);
  const answer = JSON.parse(((await deliver()) as TextResponse).text);
  const [outcome] = outcomes;
  if (outcome === undefined) throw new Error('not settled');
  return { outcome, estimate, answer };
}

describe('the cost of embeddings', () => {
  const model = priced('embeddings', { token_factor: 1.2 });
  const strings = validate(embeddingRequest, { input: ['Good morning', 'Good night'] });
  const hello = validate(embeddingRequest, { input: 'Good morning' });

  it('never exceeds the hold, whatever the route reports, and counts the rest as an excess', async () => {
    const inputs = fc.oneof(words, fc.array(words, { minLength: 1, maxLength: 5 }));
    const returns = fc.option(fc.oneof(fc.nat(100), fc.nat(1_000_000_000)), { nil: undefined });
    await fc.assert(
      fc.asyncProperty(inputs, returns, async (input, tokens) => {
        const request = validate(embeddingRequest, { input });
        const { outcome, estimate } = await settledWith(request, model, tokens);
        expect(outcome.amount).toBeLessThanOrEqual(estimate.amount);
        expect(Number(outcome.amount)).toBe(outcome.inputUnits);
        expect(outcome.estimated).toBe(!tokens);
        if (tokens) expect(outcome.amount + (outcome.excess?.amount ?? 0n)).toBe(BigInt(tokens));
        else expect(outcome.excess).toBeUndefined();
      }),
      { numRuns: rounds(100) },
    );
  });

  it('equals the reported tokens up to the bound, and counts every token beyond it as an excess', async () => {
    const { tokens: bound } = embeddings.estimate(strings, model);
    const minCost = await settledWith(strings, model, bound);
    expect(minCost.outcome).toMatchObject({ inputUnits: bound, amount: BigInt(bound) });
    expect(minCost.outcome.excess).toBeUndefined();
    const { outcome, answer } = await settledWith(strings, model, bound + 1);
    expect(outcome).toMatchObject({
      inputUnits: bound,
      tokens: bound,
      amount: BigInt(bound),
      estimated: false,
    });
    expect(outcome.excess?.amount).toBe(1n);
    expect(answer).toMatchObject({ usage: { prompt_tokens: bound, total_tokens: bound } });
    const twice = await settledWith(strings, model, 2 * bound);
    expect(twice.outcome.excess).toEqual({ amount: BigInt(bound), factor: 2 });
  });

  it.each([undefined, 0])('equals the bound of its texts if the route reports %p', async (reported) => {
    const { outcome } = await settledWith(hello, model, reported);
    expect(outcome).toMatchObject({ inputUnits: boundTokens('Good morning'), estimated: true });
    expect(outcome.excess).toBeUndefined();
  });
});

describe('the amount for speech', () => {
  const model = priced('tts', { default_voice: 'v' });
  const costOf = (fields: object): number => {
    const request = validate(speechRequest, { model: 'a/b', ...fields });
    return Number(speech.estimate(request, model).amount);
  };

  it('covers the tokens of everything that leaves', () => {
    fc.assert(
      fc.property(words, extraFields, (input, fields) => {
        const request = validate(speechRequest, { ...fields, model: 'a/b', input });
        const payload = { ...speech.toPayload(request, model), voice: '', response_format: '' };
        expect(costOf({ ...fields, input })).toBeGreaterThanOrEqual(tokensOf(payload));
      }),
      { numRuns: rounds(100) },
    );
  });

  it('includes blanks, which are spoken too, and the instructions', () => {
    expect(costOf({ input: `${' '.repeat(2_000)}a` })).toBeGreaterThanOrEqual(500);
    expect(costOf({ input: 'Hi', instructions: 'slowly '.repeat(500) })).toBeGreaterThan(500);
  });

  it.each(['input', 'instructions'])(
    'excludes a text of more %s than vendors accept, which causes an error',
    (field) => {
      const request = { model: 'a/b', input: 'Hi', [field]: 'a'.repeat(4_097) };
      expect(() => validate(speechRequest, request)).toThrow(
        expect.objectContaining({ code: 'invalid_value', param: field }),
      );
    },
  );
});
