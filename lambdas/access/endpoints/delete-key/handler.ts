/** `DELETE /api-keys/{id}`, or `DELETE /api-keys` with the id in the query or the body: revokes a key. */

import { requestedId } from '../../../platform/core/api/requested-id.ts';
import { deletedBody } from '../../../platform/core/api/response-schema.ts';
import { readOptionalJson } from '../../../platform/core/json/json-body.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { ownKey } from '../../core/keys/api-keys.ts';
import { sessionHandler } from '../../handlers/handlers.ts';
import { createKeyRegistry } from '../../store/create-accounts.ts';

export const handler = sessionHandler('platform', (resources) => {
  const registry = createKeyRegistry(resources);
  return async (request, { pathParameters, session: { accountId } }) => {
    const id = await requestedId(pathParameters, request, () => readOptionalJson(request));
    await registry.revoke(await ownKey(registry, accountId, id));
    return jsonResponse(deletedBody(id, 'api_key'));
  };
});
