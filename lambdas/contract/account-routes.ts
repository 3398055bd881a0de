/** The routes of an account: signing in, API keys and credit; and of the payments that fill it. */
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
