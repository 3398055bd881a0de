/** `DELETE /api-keys/{id}`: revokes a key. */

import { deletedBody } from '../../../platform/core/api/response-schema.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { ownKey } from '../../core/api-keys.ts';
import { sessionHandler } from '../../handlers/handlers.ts';
import { createKeyRegistry } from '../../store/create-accounts.ts';

export const handler = sessionHandler('platform', (resources) => {
  const registry = createKeyRegistry(resources);
  return async (_request, { pathParameters: { id = '' }, session: { accountId } }) => {
    await registry.revoke(await ownKey(registry, accountId, id));
    return jsonResponse(deletedBody(id, 'api_key'));
  };
});
