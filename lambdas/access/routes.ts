/** The routes of sign-in, sessions and API keys. */
import { open, owner, type Route } from '../platform/contract/route.ts';

export const ACCESS_ROUTES = [
  open(
    'POST /api/v1/auth/{identity_provider}',
    'create-session',
    'sign in by an identity provider; the first time opens the account',
  ),
  owner('GET /api/v1/auth/me', 'get-account', 'the signed-in account'),
  open(
    'GET /api/v1/auth/providers',
    'list-identity-providers',
    'the identity providers that a browser can sign in with',
  ),
  owner('POST /api/v1/auth/renew', 'renew-session', 'start a session that follows this one, which ends'),
  owner('POST /api/v1/auth/sign-out', 'delete-session', 'end the session, or all of the account’s'),
  owner('POST /api-keys', 'create-key', 'create an API key; its text is shown only once'),
  owner('GET /api-keys', 'list-keys', 'the API keys of the account'),
  owner('PATCH /api-keys/{id}', 'update-key', 'change the name or policy of a key, disable or enable it'),
  owner('DELETE /api-keys/{id}', 'delete-key', 'revoke a key permanently'),
  owner('DELETE /api-keys', 'delete-key', 'revoke a key, with `id` in the query or the body', {
    idOutsidePath: true,
  }),
  owner(
    'POST /api-keys/{id}/rotate',
    'rotate-key',
    'replace a key’s secret; the old one may stay valid for a while',
  ),
] as const satisfies readonly Route[];
