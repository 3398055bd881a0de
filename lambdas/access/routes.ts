/** The routes of sign-in, sessions and API keys. */
import { OPEN, OWNER, type Route } from '../platform/contract/route.ts';

export const ACCESS_ROUTES = [
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
    purpose: 'start a session that follows this one, which ends',
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
    method: 'DELETE',
    path: '/api-keys',
    endpoint: 'delete-key',
    purpose: 'revoke a key, with `id` in the query or the body',
    idOutsidePath: true,
  },
  {
    ...OWNER,
    method: 'POST',
    path: '/api-keys/{id}/rotate',
    endpoint: 'rotate-key',
    purpose: 'replace a key’s secret; the old one may stay valid for a while',
  },
] as const satisfies readonly Route[];
