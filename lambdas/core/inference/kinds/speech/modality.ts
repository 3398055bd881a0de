/**
 * Text-to-speech: audio handed on as it comes, billed by the tokens of the text. Routes answer with audio alone, so
 * the service counts the text itself, by a bound that no text undercuts: what a call costs is known, and held, before
 * its first byte.
 */
import { ServiceError } from '../../../errors.ts';
import type { CallStatus } from '../../../ledger/usage-record.ts';
import { formatUsd } from '../../../money.ts';
import type { Model } from '../../catalog/catalog-document.ts';
import { exactly, promptCost } from '../../catalog/price.ts';
import { boundTextTokens } from '../../metering/estimate.ts';
import { textsBeside } from '../../metering/prompt-size.ts';
import { UpstreamFailure } from '../../upstream/provider.ts';
import { forwarded, type Modality, type Sale, type Send } from '../call-kind.ts';
import { type SpeechRequest, speechRequest } from './schema.ts';
import { settledStream } from './settled-stream.ts';

/** Audio that has begun: the first bytes, never empty, and what follows them. */
export interface SpeechAnswer {
  readonly first: Uint8Array;
  readonly rest: AsyncIterator<Uint8Array>;
}

const CONTENT_TYPES = { mp3: 'audio/mpeg', wav: 'audio/wav' } as const;

const formatOf = ({ response_format: format }: SpeechRequest) => format ?? 'mp3';

export const speech: Modality<SpeechRequest, SpeechAnswer> = {
  kind: 'tts',
  schema: speechRequest,
  stream: true,
  toPayload: (request, model) => ({
    ...forwarded(request),
    voice: voiceOf(request, model),
    response_format: formatOf(request),
  }),
  estimate(request, model) {
    const tokens = tokensOf(request);
    return { tokens, mostTokens: tokens, ...exactly(promptCost(model, tokens)) };
  },
  prepare,
};

/** English has about so many characters a token; blanks and the like, of which fewer make one, are spoken all the same. */
const CHARACTERS_PER_TOKEN = 4;

/** The tokens of what is spoken, and of everything else that says how. */
function tokensOf({ input, ...fields }: SpeechRequest): number {
  const spoken = Math.max(boundTextTokens([input]), Math.ceil(input.length / CHARACTERS_PER_TOKEN));
  return spoken + boundTextTokens(textsBeside(SETTINGS, fields));
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

async function prepare({
  request,
  answer,
  estimate,
  admission,
  candidate: { model, route },
  clock,
}: Sale<SpeechRequest, SpeechAnswer>): Promise<Send> {
  const { tokens, amount: cost } = estimate;
  const settle = (status: CallStatus) =>
    admission.settle({
      model: model.id,
      inputUnits: tokens,
      cachedUnits: 0,
      outputUnits: 0,
      unit: 'token',
      // The text went to the route as a whole, so audio that breaks off costs what the whole does.
      cost,
      estimated: true,
      route: route.id,
      status,
      tokens,
    });
  return async ({ broke, flush }) => {
    const body = settledStream(answer, async (status, failure) => {
      clock.close(status === 'completed');
      if (failure instanceof UpstreamFailure) broke(failure);
      await Promise.all([settle(status), flush()]);
    });
    return new Response(body, {
      headers: {
        ...admission.headers,
        'content-type': CONTENT_TYPES[formatOf(request)],
        'x-route': route.id,
        'x-cost-usd': formatUsd(cost),
      },
    });
  };
}
