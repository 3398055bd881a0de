/** The routes of an account: signing in, API keys and credit; of the payments that fill it; and of the view of all accounts. */
import { KEY_OR_OWNER, OPEN, OPERATOR, OWNER, type Route } from '../platform/contract/route.ts';

export const ACCOUNT_ROUTES = [
  {
    ...OPEN,
    method: 'POST',
    path: '/api/v1/auth/{identity_provider}',
    endpoint: 'create-session',
    purpose: 'sign in by an identity provider; the first time opens the account',
  },
  {
    ...OWNER,
    method: 'GET',
    path: '/api/v1/auth/me',
    endpoint: 'get-account',
    purpose: 'the signed-in account',
  },
  {
    ...OPEN,
    method: 'GET',
    path: '/api/v1/auth/providers',
    endpoint: 'list-identity-providers',
    purpose: 'the identity providers that a browser can sign in with',
  },
  {
    ...OWNER,
    method: 'POST',
    path: '/api/v1/auth/renew',
    endpoint: 'renew-session',
    purpose: 'begin a session that follows this one, which ends',
  },
  {
    ...OWNER,
    method: 'POST',
    path: '/api/v1/auth/sign-out',
    endpoint: 'delete-session',
    purpose: 'end the session, or all of the account’s',
  },
  {
    ...OWNER,
    method: 'POST',
    path: '/api-keys',
    endpoint: 'create-key',
    purpose: 'create an API key; its text is shown only once',
  },
  {
    ...OWNER,
    method: 'GET',
    path: '/api-keys',
    endpoint: 'list-keys',
    purpose: 'the API keys of the account',
  },
  {
    ...OWNER,
    method: 'PATCH',
    path: '/api-keys/{id}',
    endpoint: 'update-key',
    purpose: 'change the name or policy of a key, disable or enable it',
  },
  {
    ...OWNER,
    method: 'DELETE',
    path: '/api-keys/{id}',
    endpoint: 'delete-key',
    purpose: 'revoke a key permanently',
  },
  {
    ...OWNER,
    method: 'POST',
    path: '/api-keys/{id}/rotate',
    endpoint: 'rotate-key',
    purpose: 'replace a key’s secret; the old one may stay valid for a while',
  },
  {
    ...KEY_OR_OWNER,
    method: 'GET',
    path: '/credits/{api_key}',
    endpoint: 'get-credits',
    purpose: 'credit balance for a key',
  },
  {
    ...OWNER,
    method: 'GET',
    path: '/api/v1/credits',
    endpoint: 'get-balance',
    purpose: 'credit balance of the account',
  },
  {
    ...OWNER,
    method: 'GET',
    path: '/api/v1/usage',
    endpoint: 'list-account-usage',
    purpose: 'the calls of all keys of the account, newest first, with cost',
  },
  {
    ...OWNER,
    method: 'GET',
    path: '/api/v1/usage/sums',
    endpoint: 'sum-account-usage',
    purpose: 'calls, units and cost of the account by the hour or day',
  },
  {
    ...OWNER,
    method: 'GET',
    path: '/api/v1/usage/{request_id}',
    endpoint: 'get-account-usage',
    purpose: 'one call of the account by its request id',
  },
] as const satisfies readonly Route[];

export const PAYMENT_ROUTES = [
  {
    ...OWNER,
    method: 'POST',
    path: '/api/create-order',
    endpoint: 'create-order',
    purpose: 'open a payment order for a credit top-up',
  },
  {
    ...OWNER,
    method: 'GET',
    path: '/api/orders',
    endpoint: 'list-orders',
    purpose: 'the orders of the account, newest first',
  },
  {
    ...OWNER,
    method: 'GET',
    path: '/api/orders/{order_id}',
    endpoint: 'get-order',
    purpose: 'one order, with its status',
  },
  {
    ...OPEN,
    method: 'POST',
    path: '/api/payments/{provider}/events',
    endpoint: 'receive-payment-event',
    purpose: 'receives the payment provider’s signed events',
  },
] as const satisfies readonly Route[];

/** The operator's view: reads of the whole deployment, and the end of the session that they take. */
export const OPERATOR_ROUTES = [
  {
    ...OPERATOR,
    path: '/api/v1/operator/accounts',
    endpoint: 'list-operator-accounts',
    purpose: 'every account with its balance and what it has spent',
  },
  {
    ...OPERATOR,
    path: '/api/v1/operator/routes',
    endpoint: 'list-operator-routes',
    purpose: 'every route of the catalog with its circuit',
  },
  {
    ...OPERATOR,
    path: '/api/v1/operator/catalog',
    endpoint: 'get-operator-catalog',
    purpose: 'the current catalog, and what it changed',
  },
  {
    ...OPERATOR,
    path: '/api/v1/operator/audit',
    endpoint: 'get-operator-audit',
    purpose: 'what the last audit of the books found',
  },
  {
    ...OPERATOR,
    path: '/api/v1/operator/dead-letters',
    endpoint: 'list-dead-letters',
    purpose: 'how many messages lie in each dead-letter queue',
  },
  {
    ...OPERATOR,
    method: 'POST',
    path: '/api/v1/operator/sign-out',
    endpoint: 'delete-operator-session',
    purpose: 'end the operator’s session',
  },
] as const satisfies readonly Route[];
