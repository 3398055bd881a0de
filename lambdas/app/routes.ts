/**
 * The table of contents of the service: every public route, once.
 * CDK builds the APIs from it, the local runtime and the gateway index list it, the tests walk it.
 */

import { ACCOUNT_ROUTES, OPERATOR_ROUTES, PAYMENT_ROUTES } from '../access/routes.ts';
import { LISTING_ROUTES } from '../marketplace/routes.ts';
import { REFERENCE_ROUTES } from '../operations/routes.ts';
import { KEY_INFERENCE, OPEN, OPEN_INFERENCE, type Route } from '../platform/contract/route.ts';
import { WEBHOOK_ROUTES } from '../webhooks/routes.ts';

/** All are streamed: their responses are larger, or take longer, than a buffered function allows. */
const call = { ...KEY_INFERENCE, method: 'POST', response: 'streamed', paid: true } as const;

const CALL_KIND_ROUTES = [
  {
    ...call,
    path: '/v1/embeddings',
    endpoint: 'create-embeddings',
    purpose: 'embeddings of texts',
  },
  {
    ...call,
    path: '/v1/images/generations',
    endpoint: 'create-images',
    purpose: 'images of a text',
  },
  {
    ...call,
    path: '/v1/audio/speech',
    endpoint: 'create-speech',
    purpose: 'speech of a text, as audio bytes',
  },
  {
    ...call,
    path: '/v1/audio/transcriptions',
    endpoint: 'create-transcription',
    purpose: 'transcript of an audio file, sent as a form',
  },
] as const satisfies readonly Route[];

export const ROUTES = [
  {
    ...KEY_INFERENCE,
    method: 'POST',
    path: '/v1/chat/completions',
    endpoint: 'create-chat-completion',
    purpose: 'chat completion, JSON or server-sent events',
    response: 'streamed',
    paid: true,
  },
  {
    ...KEY_INFERENCE,
    method: 'POST',
    path: '/v1/messages',
    endpoint: 'create-message',
    purpose: 'Messages-compatible completion, JSON or server-sent events',
    response: 'streamed',
    surface: 'messages',
    paid: true,
  },
  {
    ...KEY_INFERENCE,
    method: 'POST',
    path: '/v1/messages/count_tokens',
    endpoint: 'count-message-tokens',
    purpose: 'prompt tokens of a Messages request, without a call',
    surface: 'messages',
  },
  {
    ...KEY_INFERENCE,
    method: 'POST',
    path: '/v1/responses',
    endpoint: 'create-response',
    purpose: 'response of a model, JSON or server-sent events; nothing is stored',
    response: 'streamed',
    paid: true,
  },
  {
    ...KEY_INFERENCE,
    method: 'POST',
    path: '/v1/responses/input_tokens',
    endpoint: 'count-response-tokens',
    purpose: 'prompt tokens of a Responses request, without a call',
  },
  ...CALL_KIND_ROUTES,
  {
    ...OPEN_INFERENCE,
    method: 'GET',
    path: '/v1/models',
    endpoint: 'list-models',
    purpose: 'callable models, for SDK discovery',
  },
  {
    ...OPEN_INFERENCE,
    method: 'GET',
    path: '/v1/models/{model+}',
    endpoint: 'get-model',
    purpose: 'one callable model, by id or alias',
  },
  {
    ...OPEN_INFERENCE,
    method: 'GET',
    path: '/api/v1/models',
    endpoint: 'list-prices',
    purpose: 'the same models with their prices',
  },
  {
    ...KEY_INFERENCE,
    method: 'GET',
    path: '/v1/usage',
    endpoint: 'list-usage',
    purpose: 'the calls a key has made, newest first, with cost',
  },
  {
    ...KEY_INFERENCE,
    method: 'GET',
    path: '/v1/usage/{request_id}',
    endpoint: 'get-usage',
    purpose: 'one call by its request id',
  },
  ...ACCOUNT_ROUTES,
  ...LISTING_ROUTES,
  ...PAYMENT_ROUTES,
  ...WEBHOOK_ROUTES,
  ...OPERATOR_ROUTES,
  {
    ...OPEN,
    method: 'GET',
    path: '/health',
    endpoint: 'get-health',
    purpose: 'health check',
  },
  ...REFERENCE_ROUTES,
  {
    ...OPEN,
    method: 'GET',
    path: '/',
    endpoint: 'get-index',
    purpose: 'the gateway index',
  },
] as const satisfies readonly Route[];

/**
 * Answers what no route does: 404 for an unknown path, 405 for a known path with another method.
 * API Gateway itself would answer 403 for both.
 */
export const UNKNOWN_ROUTE_ENDPOINT = 'unknown-route';

export type EndpointName = (typeof ROUTES)[number]['endpoint'] | typeof UNKNOWN_ROUTE_ENDPOINT;
