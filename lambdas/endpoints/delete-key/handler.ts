/** `DELETE /api-keys/{id}`: revokes a key. */

import { createKeyRegistry } from '../../adapters/access/create-accounts.ts';
import { type KeyRegistry, ownKey } from '../../core/access/api-keys.ts';
import type { SessionEndpoint } from '../../core/access/session.ts';
import { deletedBody } from '../../core/api/response-schema.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { sessionHandler } from '../../hosts/handlers.ts';

function deleteKey(registry: KeyRegistry): SessionEndpoint {
  return async (_request, { pathParameters: { id = '' }, session: { accountId } }) => {
    await registry.revoke(await ownKey(registry, accountId, id));
    return jsonResponse(deletedBody(id, 'api_key'));
  };
}

export const handler = sessionHandler('platform', (resources) => deleteKey(createKeyRegistry(resources)));
