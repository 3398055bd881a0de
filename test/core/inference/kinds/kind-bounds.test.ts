import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { encode as encodeCl100k } from 'gpt-tokenizer/encoding/cl100k_base';
import { encode as encodeO200k } from 'gpt-tokenizer/encoding/o200k_base';
import { parseCatalog } from '../../../../lambdas/core/inference/catalog/catalog-document.ts';
import { embeddings } from '../../../../lambdas/core/inference/kinds/embeddings/embeddings.ts';
import { embeddingRequest } from '../../../../lambdas/core/inference/kinds/embeddings/schema.ts';
import { speechRequest } from '../../../../lambdas/core/inference/kinds/speech/schema.ts';
import { speech } from '../../../../lambdas/core/inference/kinds/speech/speech.ts';
import { validate } from '../../../../lambdas/core/json/json-body.ts';
import { it } from '../../../search.ts';
import { rounds } from '../../../thorough.ts';

/** A nano-dollar a token. */
const priced = (type: 'embeddings' | 'tts', more: object = {}) => {
  const [model] = parseCatalog({
    models: [
      {
        id: 'a/b',
        type,
        owned_by: 'a',
        created: 1,
        price: { unit: 'per_million_tokens', input: 0.001 },
        routes: [{ id: 'r', protocol: 'openai', base_url: 'http://127.0.0.1/v1', upstream_model: 'm' }],
        ...more,
      },
    ],
  }).models;
  if (model === undefined) throw new Error('no model');
  return model;
};

const words = fc.oneof(
  fc.constantFrom('Good morning', 'ⰰⰱⰲ', 'qjxz', ' '.repeat(300), '🜂🜂'),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
);
const others = fc.dictionary(fc.constantFrom('user', 'instructions', 'x', 'y'), words, { maxKeys: 3 });

const textsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
};
const tokensOf = (payload: object): number =>
  Math.max(
    ...[encodeO200k, encodeCl100k].map((encode) =>
      textsIn(payload).reduce((sum, text) => sum + encode(text).length, 0),
    ),
  );

describe('what is held for embeddings', () => {
  const model = priced('embeddings');

  it('is never less than the tokens of everything that leaves', () => {
    const input = fc.oneof(words, fc.array(words, { minLength: 1, maxLength: 5 }));
    fc.assert(
      fc.property(input, others, (texts, more) => {
        const request = validate(embeddingRequest, { ...more, input: texts });
        const { amount, ceiling } = embeddings.estimate(request, model);
        expect(Number(amount)).toBeGreaterThanOrEqual(tokensOf(embeddings.toPayload(request, model)));
        expect(ceiling).toBeGreaterThanOrEqual(amount);
      }),
      { numRuns: rounds(100) },
    );
  });

  it('is refused for an input that is certainly too long for the model, alone or in a batch', () => {
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

describe('what is held, and paid, for speech', () => {
  const model = priced('tts', { default_voice: 'v' });
  const costOf = (fields: object): number => {
    const request = validate(speechRequest, { model: 'a/b', ...fields });
    const { amount, ceiling } = speech.estimate(request, model);
    expect(ceiling).toBe(amount);
    return Number(amount);
  };

  it('is never less than the tokens of everything that leaves', () => {
    fc.assert(
      fc.property(words, others, (input, more) => {
        const request = validate(speechRequest, { ...more, model: 'a/b', input });
        const payload = { ...speech.toPayload(request, model), voice: '', response_format: '' };
        expect(costOf({ ...more, input })).toBeGreaterThanOrEqual(tokensOf(payload));
      }),
      { numRuns: rounds(100) },
    );
  });

  it('counts blanks, which are spoken too, and what says how to speak', () => {
    expect(costOf({ input: `${' '.repeat(2_000)}a` })).toBeGreaterThanOrEqual(500);
    expect(costOf({ input: 'Hi', instructions: 'slowly '.repeat(500) })).toBeGreaterThan(500);
  });

  it.each(['input', 'instructions'])('is refused for more %s than vendors take', (field) => {
    const request = { model: 'a/b', input: 'Hi', [field]: 'a'.repeat(4_097) };
    expect(() => validate(speechRequest, request)).toThrow(
      expect.objectContaining({ code: 'invalid_value', param: field }),
    );
  });
});
