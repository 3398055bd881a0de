/** The routes of an account: signing in, API keys and credit; of the payments that fill it; and of the view of all accounts. */
import type { Route } from './route.ts';

const platform = { api: 'platform', surface: 'platform', response: 'buffered' } as const;

export const ACCOUNT_ROUTES = [
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
    method: 'GET',
    path: '/api/v1/auth/providers',
    endpoint: 'list-identity-providers',
    purpose: 'the identity providers that a browser can sign in with',
    authentication: 'none',
  },
  {
    ...platform,
    method: 'POST',
    path: '/api/v1/auth/renew',
    endpoint: 'renew-session',
    purpose: 'begin a session that follows this one, which ends',
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
    authentication: 'api-key-or-session',
  },
  {
    ...platform,
    method: 'GET',
    path: '/api/v1/credits',
    endpoint: 'get-balance',
    purpose: 'credit balance of the account',
    authentication: 'session',
  },
  {
    ...platform,
    method: 'GET',
    path: '/api/v1/usage',
    endpoint: 'list-account-usage',
    purpose: 'the calls of all keys of the account, newest first, with cost',
    authentication: 'session',
  },
  {
    ...platform,
    method: 'GET',
    path: '/api/v1/usage/sums',
    endpoint: 'sum-account-usage',
    purpose: 'calls, units and cost of the account by the hour or day',
    authentication: 'session',
  },
  {
    ...platform,
    method: 'GET',
    path: '/api/v1/usage/{request_id}',
    endpoint: 'get-account-usage',
    purpose: 'one call of the account by its request id',
    authentication: 'session',
  },
] as const satisfies readonly Route[];

export const PAYMENT_ROUTES = [
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
] as const satisfies readonly Route[];

/** The operator's view: reads of the whole deployment, and the end of the session that they take. */
const operatorView = { ...platform, authentication: 'operator', method: 'GET' } as const;

export const OPERATOR_ROUTES = [
  {
    ...operatorView,
    path: '/api/v1/operator/accounts',
    endpoint: 'list-operator-accounts',
    purpose: 'every account with its balance and what it has spent',
  },
  {
    ...operatorView,
    path: '/api/v1/operator/routes',
    endpoint: 'list-operator-routes',
    purpose: 'every route of the catalog with its circuit',
  },
  {
    ...operatorView,
    path: '/api/v1/operator/catalog',
    endpoint: 'get-operator-catalog',
    purpose: 'the current catalog, and what it changed',
  },
  {
    ...operatorView,
    path: '/api/v1/operator/audit',
    endpoint: 'get-operator-audit',
    purpose: 'what the last audit of the books found',
  },
  {
    ...operatorView,
    path: '/api/v1/operator/dead-letters',
    endpoint: 'list-dead-letters',
    purpose: 'how many messages lie in each dead-letter queue',
  },
  {
    ...operatorView,
    method: 'POST',
    path: '/api/v1/operator/sign-out',
    endpoint: 'delete-operator-session',
    purpose: 'end the operator’s session',
  },
] as const satisfies readonly Route[];
