import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../../tools/test-kit/search.ts';
import { rounds } from '../../../../../tools/test-kit/thorough.ts';
import { validate } from '../../../../platform/core/json/json-body.ts';
import { recordedAdmission } from '../../../testing/admission.ts';
import { modelsOf } from '../../../testing/catalog/models.ts';
import { speechModel } from '../../../testing/providers/kinds/polly-calls.ts';
import type { CatalogRoute, Model } from '../../catalog/catalog-document.ts';
import { NO_CONTROLS } from '../../routing/route-controls.ts';
import type { KindResponse } from '../call-kind.ts';
import { quoteKind } from '../quote-kind.ts';
import { type SpeechOutput, type SpeechRequest, speech, speechRequest } from './speech.ts';

const ORIGIN = 'https://polly.us-east-1.amazonaws.com';

const requestOf = (fields: object): SpeechRequest =>
  validate(speechRequest, { model: 'amazon/polly', voice: 'Ruth', ...fields });

/** Returns the settled outcome of a call whose audio is complete. */
async function outcomeOf(model: Model, request: SpeechRequest) {
  const estimate = speech.estimate(request, model);
  const { admission, outcomes } = recordedAdmission(estimate.amount);
  const deliver = await speech.prepare({
    request,
    estimate,
    catalog: 'v1',
    candidate: { model, route: model.routes[0] as CatalogRoute },
    output: { first: Buffer.of(1), rest: [][Symbol.iterator]() as unknown as AsyncIterator<Uint8Array> },
    clock: { close: () => {} },
    flush: async () => {},
    admission: { ...admission, headers: {} },
  } as unknown as KindResponse<SpeechRequest, SpeechOutput>);
  const response = await deliver();
  if (!('body' in response)) throw new Error('not streamed');
  for await (const _ of response.body as AsyncIterable<Uint8Array>);
  const [outcome] = outcomes;
  if (outcome === undefined) throw new Error('not settled');
  return { outcome, estimate };
}

const scripts = fc.constantFrom('Good morning. ', '春眠不覺曉', 'สวัสดี', 'नमस्ते', 'مرحبا', '😀', '\u0301', ' ');
const texts = fc.string({ unit: scripts, minLength: 1, maxLength: 200 }).map((text) => text.slice(0, 4_096));

describe('a price for each token of a number of characters', () => {
  const model = speechModel(ORIGIN);

  it.each([
    ['Hello', 2],
    ['春眠不覺曉處處聞啼鳥', 3],
    ['สวัสดีชาวโลก', 3],
    ['नमस्ते', 2],
    ['😀😀😀😀', 1],
    [' ', 1],
  ])('counts them alike in every script: %j', async (input, tokens) => {
    const { outcome, estimate } = await outcomeOf(model, requestOf({ input }));
    expect(estimate).toEqual({ tokens, amount: BigInt(tokens * 64_000) });
    expect(outcome).toMatchObject({
      inputUnits: tokens,
      tokens,
      unit: 'token',
      estimated: false,
      amount: estimate.amount,
      providerCost: BigInt([...input].length * 16_000),
    });
  });

  it('never totals less than the cost, and settles as it is held', async () => {
    await fc.assert(
      fc.asyncProperty(texts, fc.integer({ min: 1, max: 16 }), async (input, characters) => {
        const price = { unit: 'per_million_tokens', input: 16 * characters };
        const priced = speechModel(ORIGIN, { characters_per_token: characters, price });
        const { outcome, estimate } = await outcomeOf(priced, requestOf({ input }));
        expect(estimate.tokens).toBe(Math.ceil([...input].length / characters));
        expect(outcome.amount).toBe(estimate.amount);
        expect(outcome.providerCost).toBe(BigInt([...input].length * 16_000));
        expect(outcome.amount).toBeGreaterThanOrEqual(outcome.providerCost ?? 0n);
      }),
      { numRuns: rounds(100) },
    );
  });

  it('leaves instructions free, which are named as ignored', () => {
    const request = requestOf({ input: 'Hello', instructions: 'Speak slowly. '.repeat(100), lang: 'en' });
    expect(speech.estimate(request, model)).toEqual(speech.estimate(requestOf({ input: 'Hello' }), model));
    const { headers, estimate } = quoteKind({
      kind: 'tts',
      model,
      fields: speech.fields,
      request: speech.toPayload(request, model),
      controls: NO_CONTROLS,
      chance: () => 0.5,
      estimate: (body) => speech.estimate({ ...body, model: 'amazon/polly' } as SpeechRequest, model),
    });
    expect(estimate.tokens).toBe(2);
    expect(headers['x-ignored-fields']?.split(',').sort()).toEqual(['instructions', 'lang']);
  });
});

describe('the speed of speech', () => {
  const openai = { id: 'o', protocol: 'openai', base_url: 'https://a.test/v1' };
  const price = { unit: 'per_million_characters', character: 16 };
  const polly = { id: 'p', protocol: 'polly', base_url: undefined, upstream_model: 'neural' };
  const routesAt = (speed: number, routes: readonly object[]) => {
    const [model] = modelsOf({ type: 'tts', price, routes });
    return speech.servable?.(requestOf({ input: 'Hi', speed }), model as Model).routes.map(({ id }) => id);
  };

  it('excludes the routes of Amazon Polly above twice the usual one', () => {
    expect(routesAt(2, [polly, openai])).toEqual(['p', 'o']);
    expect(routesAt(2.01, [polly, openai])).toEqual(['o']);
    expect(routesAt(4, [openai])).toEqual(['o']);
    expect(() => routesAt(2.01, [polly])).toThrow(
      expect.objectContaining({ code: 'invalid_value', param: 'speed' }),
    );
  });
});

describe('the voice of speech', () => {
  it('causes an error with the list if the model does not have it', () => {
    const model = speechModel(ORIGIN, { voices: ['alloy', 'Ruth'], default_voice: 'alloy' });
    expect(() => speech.toPayload(requestOf({ input: 'Hi', voice: 'nobody' }), model)).toThrow(
      expect.objectContaining({
        code: 'invalid_value',
        param: 'voice',
        message: expect.stringContaining('alloy, Ruth'),
      }),
    );
    expect(speech.toPayload(requestOf({ input: 'Hi', voice: undefined }), model).voice).toBe('alloy');
  });
});
