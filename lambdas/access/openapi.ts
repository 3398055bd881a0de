/** The descriptions of sign-in, sessions and API keys. */

import { created, ok, tagged } from '../platform/contract/operation.ts';
import { pageSchema } from '../platform/core/api/paging.ts';
import { deletedSchema } from '../platform/core/api/response-schema.ts';
import { accountSchema } from './core/accounts/accounts.ts';
import { offeredProvidersSchema } from './core/identity/offered-providers.ts';
import { keySchema } from './core/keys/api-keys.ts';
import { issuedKeySchema } from './core/keys/key-issuer.ts';
import { createKeyRequest, rotateKeyRequest, updateKeyRequest } from './core/keys/key-requests.ts';
import {
  renewedSchema,
  signedOutSchema,
  signInRequest,
  signOutRequest,
} from './core/sessions/session-requests.ts';
import { signedInSchema } from './core/sessions/sign-in.ts';

export const ACCESS_COMPONENTS = {
  Account: accountSchema,
  SignedIn: signedInSchema,
  ApiKey: keySchema,
  ApiKeyPage: pageSchema(keySchema),
  NewApiKey: issuedKeySchema,
};

export const ACCESS_OPERATIONS = tagged('Accounts', {
  'create-session': {
    description:
      'By a token of the provider, or by an authorization code with its verifier and redirect URI, which the ' +
      'service exchanges.',
    headers: {
      'x-session-transport': {
        description: '`cookie` puts the session into a cookie that no script can read.',
        pattern: '^(cookie|bearer)$',
      },
    },
    body: signInRequest,
    example: { token: '<a token of the provider>' },
    responses: ok('A session.', signedInSchema),
    errors: [401, 403],
  },
  'get-account': { responses: ok('The account.', accountSchema) },
  'list-identity-providers': {
    description: 'Those that have a client id and redirect URIs.',
    responses: ok('The providers.', offeredProvidersSchema),
  },
  'renew-session': {
    description:
      'Later requests with the same token are rejected with 401. All sessions that follow one sign-in end 24 hours ' +
      'after it.',
    responses: ok('The next session.', renewedSchema),
  },
  'delete-session': {
    description: 'Later requests with the same token are rejected with 401.',
    body: signOutRequest,
    example: { everywhere: false },
    optionalBody: true,
    responses: ok('The session has ended.', signedOutSchema),
  },
  'create-key': {
    body: createKeyRequest,
    example: { name: 'my app', policy: { daily_usd: 5, rpm: 60 } },
    responses: created('The key, with its secret text.', issuedKeySchema),
    errors: [409],
  },
  'list-keys': {
    responses: ok('Every key, without its text.', ACCESS_COMPONENTS.ApiKeyPage),
  },
  'update-key': {
    body: updateKeyRequest,
    example: { name: 'my app', policy: { daily_usd: 10 }, disabled: false },
    responses: ok('The key after the change.', keySchema),
    errors: [409],
  },
  'delete-key': { responses: ok('The key is revoked.', deletedSchema('api_key')) },
  'rotate-key': {
    body: rotateKeyRequest,
    example: { overlap_seconds: 3600 },
    optionalBody: true,
    responses: ok('The key, with its new secret text.', issuedKeySchema),
    errors: [409],
  },
});
