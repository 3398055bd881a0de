/**
 * Text-to-speech: audio forwarded as it arrives, billed by the tokens of the text. Routes return only audio, so the
 * service counts the text itself: by the model's characters per token, or else by an upper bound. The cost of a call is
 * known and held before its first byte.
 */

import * as z from 'zod';
import type { Settlement } from '../../../../ledger/core/call.ts';
import type { CallStatus } from '../../../../ledger/core/usage-record.ts';
import { ServiceError } from '../../../../platform/core/errors.ts';
import { formatUsd } from '../../../../platform/core/money.ts';
import type { Deliver } from '../../call.ts';
import type { Model } from '../../catalog/catalog-document.ts';
import { fieldTable } from '../../fields/table.ts';
import { boundTextTokens, stringifyOtherFields } from '../../metering/estimate.ts';
import { measuredCost } from '../../metering/priced-usage.ts';
import type { UnitCounts } from '../../pricing/counts.ts';
import { reference, routeControlFields } from '../../routing/route-controls.ts';
import { settledStream } from '../../settled-stream.ts';
import { AUDIO_FORMATS } from '../../upstream/sources.ts';
import { type CallKind, forwarded, type KindResponse, measuredOutcome } from '../call-kind.ts';

/** OpenAI API reference, Create speech: the most characters of either text. */
const MAX_CHARACTERS = 4_096;

const text = z.string().max(MAX_CHARACTERS, `must be at most ${MAX_CHARACTERS} characters`);

export const speechRequest = z.looseObject({
  model: reference,
  input: text.min(1),
  instructions: text.nullish(),
  voice: z.string().min(1).max(128).nullish(),
  response_format: z.enum(AUDIO_FORMATS, 'must be mp3 or wav').nullish(),
  speed: z.number().min(0.25).max(4).nullish(),
  /** The interface returns the audio itself, never events. */
  stream_format: z.literal('audio').nullish(),
  provider: routeControlFields.provider,
});

/** OpenAI API reference, Create speech, as in the package `openai` 7.55.0. */
const SPEECH_FIELDS = fieldTable([
  { at: '{input,voice,response_format,speed,stream_format}', isConverted: true },
  { at: 'instructions' },
]);

export type SpeechRequest = z.infer<typeof speechRequest>;

/** Audio that has started: the first bytes, which are never empty, and the remainder. */
export interface SpeechOutput {
  readonly first: Uint8Array;
  readonly rest: AsyncIterator<Uint8Array>;
}

const CONTENT_TYPES = { mp3: 'audio/mpeg', wav: 'audio/wav' } as const;

const formatOf = ({ response_format: format }: SpeechRequest) => format ?? 'mp3';

/** Amazon Polly speaks at most twice as fast (Amazon Polly developer guide, Controlling volume, speaking rate, and pitch). */
const MAX_POLLY_SPEED = 2;

export const speech: CallKind<SpeechRequest, SpeechOutput> = {
  kind: 'tts',
  schema: speechRequest,
  fields: SPEECH_FIELDS,
  stream: true,
  servable(request, model) {
    const { speed } = request;
    if (speed == null || speed <= MAX_POLLY_SPEED) return model;
    const routes = model.routes.filter(({ protocol }) => protocol !== 'polly');
    if (routes.length > 0) return { ...model, routes };
    throw new ServiceError('invalid_value', `speed: must be at most ${MAX_POLLY_SPEED} for ${model.id}.`, {
      param: 'speed',
    });
  },
  toPayload: (request, model) => ({
    ...forwarded(request),
    voice: voiceOf(request, model),
    response_format: formatOf(request),
  }),
  estimate(request, model) {
    const measured = measuredOf(request, model);
    return { tokens: measured.tokens, amount: measuredCost(model, measured) };
  },
  prepare,
};

/** English has about this many characters a token; blanks and the like, which make fewer tokens, are spoken as well. */
const CHARACTERS_PER_TOKEN = 4;

/** Returns the tokens of the spoken text and of all fields that describe the speech. */
function tokensOf({ input, ...fields }: SpeechRequest): number {
  const spoken = Math.max(boundTextTokens([input]), Math.ceil(input.length / CHARACTERS_PER_TOKEN));
  return spoken + boundTextTokens(stringifyOtherFields(SETTINGS, fields));
}

/** Returns the quantities of which one is billed: the tokens, or the characters of the spoken text. */
function measuredOf(
  request: SpeechRequest,
  { characters_per_token: perToken }: Model,
): Required<Pick<UnitCounts, 'tokens' | 'characters'>> {
  const characters = [...request.input].length;
  return {
    tokens: perToken === undefined ? tokensOf(request) : Math.ceil(characters / perToken),
    characters,
  };
}

/** Fields that are names of a fixed set, or numbers. */
const SETTINGS: ReadonlySet<string> = new Set([
  'model',
  'voice',
  'response_format',
  'speed',
  'stream_format',
  'provider',
]);

function voiceOf({ voice }: SpeechRequest, { id, voices, default_voice: fallback }: Model): string {
  const voiceName = voice ?? fallback;
  if (voiceName === undefined) {
    throw new ServiceError('missing_field', `voice is required: ${id} has no default voice.`, {
      param: 'voice',
    });
  }
  if (voices?.includes(voiceName) === false) {
    throw new ServiceError('invalid_value', `voice: ${id} has the voices ${voices.join(', ')}.`, {
      param: 'voice',
    });
  }
  return voiceName;
}

async function prepare(call: KindResponse<SpeechRequest, SpeechOutput>): Promise<Deliver> {
  const { request, estimate, admission, candidate } = call;
  const headers = {
    ...admission.headers,
    'content-type': CONTENT_TYPES[formatOf(request)],
    'x-route': candidate.route.id,
    'x-cost-usd': formatUsd(estimate.amount),
  };
  const { output, clock } = call;
  const close = (complete: boolean) => clock.close(complete);
  const body = settledStream({
    call,
    first: [output.first],
    rest: output.rest,
    write: (bytes) => [bytes],
    close,
    settle: (status) => settle(call, status),
  });
  return async () => ({ headers, body, leave: () => close(false) });
}

/** The price is that of the text, so audio that breaks off costs what the whole does. */
function settle(call: KindResponse<SpeechRequest, SpeechOutput>, status: CallStatus): Promise<Settlement> {
  const { model } = call.candidate;
  const measured = measuredOf(call.request, model);
  const { tokens } = measured;
  const estimated = model.characters_per_token === undefined;
  const counted = { inputUnits: tokens, tokens, unit: 'token', estimated, status } as const;
  return call.admission.settle(measuredOutcome(call, measured, counted));
}
