/** `DELETE /api-keys/{id}`: ends a key for good. */
import type { ApiKeys } from '../../core/access/api-keys.ts';
import type { SessionEndpoint } from '../../core/access/session.ts';
import { jsonResponse } from '../../core/json/json-response.ts';

export function deleteKey(keys: ApiKeys): SessionEndpoint {
  return async (_request, { pathParameters: { id = '' }, session: { accountId } }) => {
    await keys.revoke(accountId, id);
    return jsonResponse({ id, object: 'api_key', deleted: true });
  };
}
