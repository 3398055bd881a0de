/** `PATCH /api-keys/{id}`: changes a key, effective from its next call. */

import { createKeyRegistry } from '../../adapters/access/create-accounts.ts';
import { changeKey, keyEntry } from '../../core/access/api-keys.ts';
import { updateKeyRequest } from '../../core/access/key-requests.ts';
import { readJson, validate } from '../../core/json/json-body.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { sessionHandler } from '../../hosts/handlers.ts';

export const handler = sessionHandler('platform', (resources) => {
  const registry = createKeyRegistry(resources);
  const { clock } = resources;
  return async (request, { pathParameters: { id = '' }, session: { accountId } }) => {
    const change = validate(updateKeyRequest, (await readJson(request)).value);
    return jsonResponse(keyEntry(await changeKey(registry, accountId, id, change), clock()));
  };
});
