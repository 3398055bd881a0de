/**
 * The table of contents of the service: every public route, once.
 * CDK builds the APIs from it, the local runtime and the gateway index list it, the tests walk it.
 */

import { CALL_KIND_ROUTES } from './kind-routes.ts';
import { LISTING_ROUTES } from './listing-routes.ts';
import { REFERENCE_ROUTES } from './reference-routes.ts';
import type { Route } from './route.ts';
import { WEBHOOK_ROUTES } from './webhook-routes.ts';

const inference = { api: 'inference', surface: 'openai', response: 'buffered' } as const;
const platform = { api: 'platform', surface: 'platform', response: 'buffered' } as const;

export const ROUTES = [
  {
    ...inference,
    method: 'POST',
    path: '/v1/chat/completions',
    endpoint: 'create-chat-completion',
    purpose: 'chat completion, JSON or server-sent events',
    response: 'streamed',
    authentication: 'api-key',
    paid: true,
  },
  {
    ...inference,
    method: 'POST',
    path: '/v1/messages',
    endpoint: 'create-message',
    purpose: 'Messages-compatible completion, JSON or server-sent events',
    response: 'streamed',
    surface: 'messages',
    authentication: 'api-key',
    paid: true,
  },
  {
    ...inference,
    method: 'POST',
    path: '/v1/messages/count_tokens',
    endpoint: 'count-message-tokens',
    purpose: 'prompt tokens of a Messages request, without a call',
    surface: 'messages',
    authentication: 'api-key',
  },
  ...CALL_KIND_ROUTES,
  {
    ...inference,
    method: 'GET',
    path: '/v1/models',
    endpoint: 'list-models',
    purpose: 'callable models, for SDK discovery',
    authentication: 'none',
  },
  {
    ...inference,
    method: 'GET',
    path: '/v1/models/{model+}',
    endpoint: 'get-model',
    purpose: 'one callable model, by id or alias',
    authentication: 'none',
  },
  {
    ...inference,
    method: 'GET',
    path: '/api/v1/models',
    endpoint: 'list-prices',
    purpose: 'the same models with their prices',
    authentication: 'none',
  },
  {
    ...inference,
    method: 'GET',
    path: '/v1/usage',
    endpoint: 'list-usage',
    purpose: 'the calls a key has made, newest first, with cost',
    authentication: 'api-key',
  },
  {
    ...inference,
    method: 'GET',
    path: '/v1/usage/{request_id}',
    endpoint: 'get-usage',
    purpose: 'one call by its request id',
    authentication: 'api-key',
  },
  {
    ...platform,
    method: 'POST',
    path: '/api/v1/auth/{identity_provider}',
    endpoint: 'create-session',
    purpose: 'sign in by an identity provider; the first time opens the account',
    authentication: 'none',
  },
  {
    ...platform,
    method: 'GET',
    path: '/api/v1/auth/me',
    endpoint: 'get-account',
    purpose: 'the signed-in account',
    authentication: 'session',
  },
  {
    ...platform,
    method: 'POST',
    path: '/api/v1/auth/sign-out',
    endpoint: 'delete-session',
    purpose: 'end the session, or all of the account’s',
    authentication: 'session',
  },
  {
    ...platform,
    method: 'POST',
    path: '/api-keys',
    endpoint: 'create-key',
    purpose: 'create an API key; its text is shown only once',
    authentication: 'session',
  },
  {
    ...platform,
    method: 'GET',
    path: '/api-keys',
    endpoint: 'list-keys',
    purpose: 'the API keys of the account',
    authentication: 'session',
  },
  {
    ...platform,
    method: 'PATCH',
    path: '/api-keys/{id}',
    endpoint: 'update-key',
    purpose: 'change the name or policy of a key, disable or enable it',
    authentication: 'session',
  },
  {
    ...platform,
    method: 'DELETE',
    path: '/api-keys/{id}',
    endpoint: 'delete-key',
    purpose: 'revoke a key permanently',
    authentication: 'session',
  },
  {
    ...platform,
    method: 'POST',
    path: '/api-keys/{id}/rotate',
    endpoint: 'rotate-key',
    purpose: 'replace a key’s secret; the old one may stay valid for a while',
    authentication: 'session',
  },
  {
    ...platform,
    method: 'GET',
    path: '/credits/{api_key}',
    endpoint: 'get-credits',
    purpose: 'credit balance for a key',
    authentication: 'api-key',
  },
  ...LISTING_ROUTES,
  {
    ...platform,
    method: 'POST',
    path: '/api/create-order',
    endpoint: 'create-order',
    purpose: 'open a payment order for a credit top-up',
    authentication: 'session',
  },
  {
    ...platform,
    method: 'GET',
    path: '/api/orders',
    endpoint: 'list-orders',
    purpose: 'the orders of the account, newest first',
    authentication: 'session',
  },
  {
    ...platform,
    method: 'GET',
    path: '/api/orders/{order_id}',
    endpoint: 'get-order',
    purpose: 'one order, with its status',
    authentication: 'session',
  },
  {
    ...platform,
    method: 'POST',
    path: '/api/payments/{provider}/events',
    endpoint: 'receive-payment-event',
    purpose: 'receives the payment provider’s signed events',
    authentication: 'none',
  },
  ...WEBHOOK_ROUTES,
  {
    ...platform,
    method: 'GET',
    path: '/health',
    endpoint: 'get-health',
    purpose: 'health check',
    authentication: 'none',
  },
  ...REFERENCE_ROUTES,
  {
    ...platform,
    method: 'GET',
    path: '/',
    endpoint: 'get-index',
    purpose: 'the gateway index',
    authentication: 'none',
  },
] as const satisfies readonly Route[];

/**
 * Answers what no route does: 404 for an unknown path, 405 for a known path with another method.
 * API Gateway itself would answer 403 for both.
 */
export const UNKNOWN_ROUTE_ENDPOINT = 'unknown-route';

export type EndpointName = (typeof ROUTES)[number]['endpoint'] | typeof UNKNOWN_ROUTE_ENDPOINT;
