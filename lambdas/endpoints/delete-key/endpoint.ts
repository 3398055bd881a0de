/** `DELETE /api-keys/{id}`: ends a key for good. */
import type { ApiKeys } from '../../core/access/api-keys.ts';
import { authenticateSession, type Sessions } from '../../core/access/session.ts';
import { deletedBody } from '../../core/api/response-schema.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import type { Endpoint } from '../../core/ports.ts';

export interface DeleteKeyDependencies {
  readonly sessions: Pick<Sessions, 'verify'>;
  readonly keys: ApiKeys;
}

export function deleteKey({ sessions, keys }: DeleteKeyDependencies): Endpoint {
  return async (request, { pathParameters: { id = '' } }) => {
    await keys.revoke(await authenticateSession(request.headers, sessions), id);
    return jsonResponse(deletedBody(id, 'api_key'));
  };
}
