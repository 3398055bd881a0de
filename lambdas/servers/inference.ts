/**
 * The shared host: every route of the inference API on `node:http`, with hundreds of concurrent calls in one process.
 * Each endpoint is identical to that of its function, and all share one composition.
 */

import { handler as unknownRoute } from '../app/endpoints/unknown-route/handler.ts';
import { ROUTES } from '../app/routes.ts';
import { handler as countMessageTokens } from '../inference/endpoints/count-message-tokens/handler.ts';
import { handler as countResponseTokens } from '../inference/endpoints/count-response-tokens/handler.ts';
import { handler as createChatCompletion } from '../inference/endpoints/create-chat-completion/handler.ts';
import { handler as createEmbeddings } from '../inference/endpoints/create-embeddings/handler.ts';
import { handler as createImages } from '../inference/endpoints/create-images/handler.ts';
import { handler as createMessage } from '../inference/endpoints/create-message/handler.ts';
import { handler as createResponse } from '../inference/endpoints/create-response/handler.ts';
import { handler as createSpeech } from '../inference/endpoints/create-speech/handler.ts';
import { handler as getModel } from '../inference/endpoints/get-model/handler.ts';
import { handler as listModels } from '../inference/endpoints/list-models/handler.ts';
import { handler as listPrices } from '../inference/endpoints/list-prices/handler.ts';
import { sharedHost } from '../inference/handlers/host-state.ts';
import { paidCalls } from '../inference/handlers/paid-handler.ts';
import { createTranscriptionHandler, fileTooLarge } from '../inference/handlers/transcription.ts';
import { handler as getUsage } from '../ledger/endpoints/get-usage/handler.ts';
import { handler as listOrganizationCosts } from '../ledger/endpoints/list-organization-costs/handler.ts';
import { handler as listOrganizationUsage } from '../ledger/endpoints/list-organization-usage/handler.ts';
import { handler as listUsage } from '../ledger/endpoints/list-usage/handler.ts';
import { createLeasedCalls } from '../ledger/store/create-leases.ts';
import { STREAM_TIMEOUT_SECONDS } from '../platform/contract/environment.ts';
import { openCallsOf } from '../platform/contract/inference-host.ts';
import { TRANSCRIPTION_FILE_BYTES } from '../platform/contract/limits.ts';
import { METRICS } from '../platform/contract/metrics.ts';
import { overloaded } from '../platform/core/errors.ts';
import { createDataResources, createResources } from '../platform/handlers/resources.ts';
import { NodeHost, type RouteTarget } from '../platform/http/node-host.ts';
import { createRequestHandler, type Handler } from '../platform/http/request-handler.ts';
import { matchPath } from '../platform/http/router.ts';
import { createMeasure } from '../platform/system/metrics.ts';
import { systemClock } from '../platform/system/system.ts';
import { JSON_BODIES, UPLOADS } from './bodies.ts';
import { withHealth } from './health.ts';
import { serve } from './serve.ts';

const INFERENCE_ROUTES = ROUTES.filter((route) => route.api === 'inference');

const HANDLERS: Readonly<Record<(typeof INFERENCE_ROUTES)[number]['endpoint'], Handler>> = {
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
  'list-organization-costs': listOrganizationCosts.respond,
  'list-organization-usage': listOrganizationUsage.respond,
  'list-usage': listUsage.respond,
  'get-usage': getUsage.respond,
};

const resources = createResources();

/** Returns a handler that rejects a call for lack of capacity, in the format of its route. */
const rejectionHandler = (surface: 'openai' | 'messages'): Handler =>
  createRequestHandler(() => Promise.reject(overloaded()), surface, resources);

const REJECTIONS = { openai: rejectionHandler('openai'), messages: rejectionHandler('messages') };

const UNKNOWN: RouteTarget = {
  handler: unknownRoute.respond,
  pathParameters: {},
  body: JSON_BODIES,
  rejectHandler: REJECTIONS.openai,
};

function resolve(method: string, path: string): RouteTarget {
  const match = matchPath(INFERENCE_ROUTES, path).find(({ route }) => route.method === method);
  if (match === undefined) return UNKNOWN;
  const { endpoint, surface } = match.route as (typeof INFERENCE_ROUTES)[number];
  return {
    handler: HANDLERS[endpoint],
    pathParameters: match.pathParameters,
    body: endpoint === 'create-transcription' ? UPLOADS : JSON_BODIES,
    rejectHandler: REJECTIONS[surface],
  };
}

const host: NodeHost = new NodeHost({
  resolve: withHealth(() => host, resources.log, resolve),
  clock: systemClock,
  callMs: STREAM_TIMEOUT_SECONDS * 1000,
  maxCalls: openCallsOf(process.env),
});

/** Leases close in two writes; what does not close in time expires and is recovered. */
const CLOSE_MS = 3_000;

/** Scaling evaluates one minute; a shorter interval would only add log lines. */
const REPORT_MS = 15_000;

const measure = createMeasure();
setInterval(() => measure({ values: { [METRICS.openCalls]: host.takePeak() } }), REPORT_MS).unref();

const leased = createLeasedCalls({ ...createDataResources(), measure: createMeasure() });
sharedHost.leased = leased;
sharedHost.requireCredit = (key) =>
  paidCalls().keyCheck.checkKind(key, {
    kind: 'chat',
    isPaid: false,
    needsCredit: true,
    isReplay: async () => false,
  });

serve(host, resources.log, {
  endCalls: () => sharedHost.endOfCalls.abort(),
  close: () => leased.leases.stop(CLOSE_MS),
});
