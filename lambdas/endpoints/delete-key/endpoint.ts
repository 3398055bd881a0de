/** `DELETE /api-keys/{id}`: ends a key for good. */
import type { ApiKeys } from '../../core/access/api-keys.ts';
import { authenticateSession, type SessionTokens } from '../../core/access/session.ts';
import { jsonResponse } from '../../core/json-response.ts';
import type { Endpoint } from '../../core/ports.ts';

export interface DeleteKeyDependencies {
  readonly tokens: SessionTokens;
  readonly keys: ApiKeys;
}

export function deleteKey({ tokens, keys }: DeleteKeyDependencies): Endpoint {
  return async (request, { pathParameters: { id = '' } }) => {
    await keys.revoke(await authenticateSession(request.headers, tokens), id);
    return jsonResponse({ id, object: 'api_key', deleted: true });
  };
}
