/** `DELETE /api-keys/{id}`: revokes a key. */

import { createKeyRegistry } from '../../adapters/access/create-accounts.ts';
import { ownKey } from '../../core/access/api-keys.ts';
import { deletedBody } from '../../core/api/response-schema.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { sessionHandler } from '../../hosts/handlers.ts';

export const handler = sessionHandler('platform', (resources) => {
  const registry = createKeyRegistry(resources);
  return async (_request, { pathParameters: { id = '' }, session: { accountId } }) => {
    await registry.revoke(await ownKey(registry, accountId, id));
    return jsonResponse(deletedBody(id, 'api_key'));
  };
});
