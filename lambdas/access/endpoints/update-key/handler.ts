/** `PATCH /api-keys/{id}`: changes a key, effective from its next call. */

import { readJson, validate } from '../../../platform/core/json/json-body.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { changeKey, keyEntry } from '../../core/keys/api-keys.ts';
import { updateKeyRequest } from '../../core/keys/key-requests.ts';
import { requireStorable } from '../../core/keys/policy.ts';
import { sessionHandler } from '../../handlers/handlers.ts';
import { createKeyRegistry } from '../../store/create-accounts.ts';

export const handler = sessionHandler('platform', (resources) => {
  const registry = createKeyRegistry(resources);
  const { clock, stage } = resources;
  return async (request, { pathParameters: { id = '' }, session: { accountId } }) => {
    const change = validate(updateKeyRequest, (await readJson(request)).value);
    requireStorable(change.policy ?? {}, stage.layoutOf('keys'));
    return jsonResponse(keyEntry(await changeKey(registry, accountId, id, change), clock()));
  };
});
