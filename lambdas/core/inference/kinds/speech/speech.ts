/**
 * Text-to-speech: audio handed on as it comes, billed by the tokens of the text. Routes answer with audio alone, so
 * the service counts the text itself, by a bound that no text undercuts: what a call costs is known, and held, before
 * its first byte.
 */
import { ServiceError } from '../../../errors.ts';
import type { Settlement } from '../../../ledger/settlement.ts';
import type { CallStatus } from '../../../ledger/usage-record.ts';
import { formatUsd } from '../../../money.ts';
import type { Deliver } from '../../call.ts';
import type { Model } from '../../catalog/catalog-document.ts';
import { boundTextTokens, textsBeside } from '../../metering/estimate.ts';
import { billBasis, measuredCost, priceMeasured } from '../../metering/priced-usage.ts';
import type { Measured } from '../../pricing/counts.ts';
import { UpstreamFailure } from '../../upstream/provider.ts';
import { hasLeft } from '../../upstream/route-clock.ts';
import { type CallKind, forwarded, type KindCall } from '../call-kind.ts';
import { type SpeechRequest, speechRequest } from './schema.ts';

/** Audio that has begun: the first bytes, never empty, and what follows them. */
export interface SpeechAnswer {
  readonly first: Uint8Array;
  readonly rest: AsyncIterator<Uint8Array>;
}

const CONTENT_TYPES = { mp3: 'audio/mpeg', wav: 'audio/wav' } as const;

const formatOf = ({ response_format: format }: SpeechRequest) => format ?? 'mp3';

export const speech: CallKind<SpeechRequest, SpeechAnswer> = {
  kind: 'tts',
  schema: speechRequest,
  stream: true,
  toPayload: (request, model) => ({
    ...forwarded(request),
    voice: voiceOf(request, model),
    response_format: formatOf(request),
  }),
  estimate(request, model) {
    const { tokens } = measuredOf(request);
    return { tokens, amount: measuredCost(model, measuredOf(request)) };
  },
  prepare,
};

/** English has about this many characters a token; blanks and the like, which make fewer tokens, are spoken as well. */
const CHARACTERS_PER_TOKEN = 4;

/** The tokens of what is spoken, and of everything else that says how. */
function tokensOf({ input, ...fields }: SpeechRequest): number {
  const spoken = Math.max(boundTextTokens([input]), Math.ceil(input.length / CHARACTERS_PER_TOKEN));
  return spoken + boundTextTokens(textsBeside(SETTINGS, fields));
}

/** What is billed: tokens, or the characters of what is spoken. */
const measuredOf = (request: SpeechRequest): Required<Pick<Measured, 'tokens' | 'characters'>> => ({
  tokens: tokensOf(request),
  characters: [...request.input].length,
});

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
  const wanted = voice ?? fallback;
  if (wanted === undefined) {
    throw new ServiceError('missing_field', `voice is required: ${id} has no default voice.`, {
      param: 'voice',
    });
  }
  if (voices?.includes(wanted) === false) {
    throw new ServiceError('invalid_value', `voice: ${id} has the voices ${voices.join(', ')}.`, {
      param: 'voice',
    });
  }
  return wanted;
}

async function prepare(call: KindCall<SpeechRequest, SpeechAnswer>): Promise<Deliver> {
  const { request, estimate, admission, candidate } = call;
  const headers = {
    ...admission.headers,
    'content-type': CONTENT_TYPES[formatOf(request)],
    'x-route': candidate.route.id,
    'x-cost-usd': formatUsd(estimate.amount),
  };
  return async () => ({ headers, chunks: settledAudio(call), leave: () => call.clock.close(false) });
}

/** The audio as it comes; however it ends, the call is settled before its reader learns of it. */
async function* settledAudio(call: KindCall<SpeechRequest, SpeechAnswer>): AsyncGenerator<Uint8Array, void> {
  const { answer, clock, broke, flush } = call;
  let status: CallStatus = 'interrupted';
  try {
    yield answer.first;
    for (let next = await answer.rest.next(); !next.done; next = await answer.rest.next()) yield next.value;
    status = 'completed';
  } catch (failure) {
    if (!(failure instanceof UpstreamFailure)) throw failure;
    if (hasLeft(failure)) return;
    broke(failure);
    throw new ServiceError(
      'all_routes_failed',
      'The route that served this call failed before its answer was complete.',
    );
  } finally {
    clock.close(status === 'completed');
    await Promise.all([settle(call, status), flush()]);
  }
}

function settle(
  { request, admission, candidate: { model, route }, catalog }: KindCall<SpeechRequest, SpeechAnswer>,
  status: CallStatus,
): Promise<Settlement> {
  const measured = measuredOf(request);
  const priced = priceMeasured(model, measured);
  return admission.settle({
    model: model.id,
    inputUnits: measured.tokens,
    cachedUnits: 0,
    outputUnits: 0,
    unit: 'token',
    // The text went to the route as a whole, so audio that breaks off costs what the whole does.
    cost: priced.amount,
    estimated: true,
    route: route.id,
    status,
    tokens: measured.tokens,
    ...billBasis(priced, { cost: priced.amount, catalog, route }),
  });
}
