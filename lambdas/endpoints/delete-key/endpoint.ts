/** `DELETE /api-keys/{id}`: ends a key for good. */
import type { ApiKeys } from '../../core/access/api-keys.ts';
import type { SessionEndpoint } from '../../core/access/session.ts';
import { deletedBody } from '../../core/api/response-schema.ts';
import { jsonResponse } from '../../core/json/json-response.ts';

export function deleteKey(keys: ApiKeys): SessionEndpoint {
  return async (_request, { pathParameters: { id = '' }, session: { accountId } }) => {
    await keys.revoke(accountId, id);
    return jsonResponse(deletedBody(id, 'api_key'));
  };
}
