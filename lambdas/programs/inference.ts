/**
 * The shared host: every route of the inference API on `node:http`, hundreds of calls at once in one process. Each endpoint
 * is the very one that its function serves, and all have one composition in common.
 */
import { createMeasure } from '../adapters/system/metrics.ts';
import { systemClock } from '../adapters/system/system.ts';
import { STREAM_TIMEOUT_SECONDS } from '../contract/environment.ts';
import { openCallsOf } from '../contract/inference-host.ts';
import { TRANSCRIPTION_FILE_BYTES } from '../contract/limits.ts';
import { METRICS } from '../contract/metrics.ts';
import { ROUTES } from '../contract/routes.ts';
import { overloaded } from '../core/errors.ts';
import { NodeHost, type Target } from '../edge/node-host.ts';
import { createRequestHandler, type Handler } from '../edge/request-handler.ts';
import { matchPath } from '../edge/router.ts';
import { handler as countMessageTokens } from '../endpoints/count-message-tokens/handler.ts';
import { handler as countResponseTokens } from '../endpoints/count-response-tokens/handler.ts';
import { handler as createChatCompletion } from '../endpoints/create-chat-completion/handler.ts';
import { handler as createEmbeddings } from '../endpoints/create-embeddings/handler.ts';
import { handler as createImages } from '../endpoints/create-images/handler.ts';
import { handler as createMessage } from '../endpoints/create-message/handler.ts';
import { handler as createResponse } from '../endpoints/create-response/handler.ts';
import { handler as createSpeech } from '../endpoints/create-speech/handler.ts';
import { handler as getModel } from '../endpoints/get-model/handler.ts';
import { handler as getUsage } from '../endpoints/get-usage/handler.ts';
import { handler as listModels } from '../endpoints/list-models/handler.ts';
import { handler as listPrices } from '../endpoints/list-prices/handler.ts';
import { handler as listUsage } from '../endpoints/list-usage/handler.ts';
import { handler as unknownRoute } from '../endpoints/unknown-route/handler.ts';
import { endOfCalls } from '../hosts/paid-handler.ts';
import { createResources } from '../hosts/resources.ts';
import { createTranscriptionHandler, fileTooLarge } from '../hosts/transcription.ts';
import { JSON_BODIES, UPLOADS } from './bodies.ts';
import { withHealth } from './health.ts';
import { serve } from './serve.ts';

const SERVED = ROUTES.filter((route) => route.api === 'inference');

const HANDLERS: Readonly<Record<(typeof SERVED)[number]['endpoint'], Handler>> = {
  'create-chat-completion': createChatCompletion.respond,
  'create-message': createMessage.respond,
  'count-message-tokens': countMessageTokens.respond,
  'create-response': createResponse.respond,
  'count-response-tokens': countResponseTokens.respond,
  'create-embeddings': createEmbeddings.respond,
  'create-images': createImages.respond,
  'create-speech': createSpeech.respond,
  'create-transcription': createTranscriptionHandler({
    maxFileBytes: TRANSCRIPTION_FILE_BYTES,
    tooLarge: () => fileTooLarge(TRANSCRIPTION_FILE_BYTES),
  }),
  'list-models': listModels.respond,
  'get-model': getModel.respond,
  'list-prices': listPrices.respond,
  'list-usage': listUsage.respond,
  'get-usage': getUsage.respond,
};

const resources = createResources();

/** Answers a call that there is no room for, in the format of its route. */
const refusalIn = (surface: 'openai' | 'messages'): Handler =>
  createRequestHandler(() => Promise.reject(overloaded()), surface, resources);

const REFUSALS = { openai: refusalIn('openai'), messages: refusalIn('messages') };

const UNKNOWN: Target = {
  handler: unknownRoute.respond,
  pathParameters: {},
  body: JSON_BODIES,
  refuse: REFUSALS.openai,
};

function resolve(method: string, path: string): Target {
  const match = matchPath(SERVED, path).find(({ route }) => route.method === method);
  if (match === undefined) return UNKNOWN;
  const { endpoint, surface } = match.route as (typeof SERVED)[number];
  return {
    handler: HANDLERS[endpoint],
    pathParameters: match.pathParameters,
    body: endpoint === 'create-transcription' ? UPLOADS : JSON_BODIES,
    refuse: REFUSALS[surface],
  };
}

const host: NodeHost = new NodeHost({
  resolve: withHealth(() => host, resolve),
  clock: systemClock,
  callMs: STREAM_TIMEOUT_SECONDS * 1000,
  mostCalls: openCallsOf(process.env),
});

/** Scaling looks at a minute; more often would only cost more lines. */
const REPORT_MS = 15_000;

const measure = createMeasure();
setInterval(() => measure({ values: { [METRICS.openCalls]: host.takePeak() } }), REPORT_MS).unref();

serve(host, resources.log, () => endOfCalls.abort());
