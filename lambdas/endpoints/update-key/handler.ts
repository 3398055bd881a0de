/** `PATCH /api-keys/{id}`: changes a key, effective from its next call. */

import { createKeyRegistry } from '../../adapters/access/create-accounts.ts';
import { changeKey, type KeyRegistry, keyEntry } from '../../core/access/api-keys.ts';
import { updateKeyRequest } from '../../core/access/key-requests.ts';
import type { SessionEndpoint } from '../../core/access/session.ts';
import { readJson, validate } from '../../core/json/json-body.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import type { Clock } from '../../core/ports.ts';
import { sessionHandler } from '../../hosts/handlers.ts';

function updateKey(registry: KeyRegistry, clock: Clock): SessionEndpoint {
  return async (request, { pathParameters: { id = '' }, session: { accountId } }) => {
    const change = validate(updateKeyRequest, (await readJson(request)).value);
    return jsonResponse(keyEntry(await changeKey(registry, accountId, id, change), clock()));
  };
}

export const handler = sessionHandler('platform', (resources) =>
  updateKey(createKeyRegistry(resources), resources.clock),
);
