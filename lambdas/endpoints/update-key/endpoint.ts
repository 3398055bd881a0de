/** `PATCH /api-keys/{id}`: changes a key, effective from its next call. */
import { type ApiKeys, keyEntry } from '../../core/access/api-keys.ts';
import { updateKeyRequest } from '../../core/access/key-requests.ts';
import type { SessionEndpoint } from '../../core/access/session.ts';
import { readJson, validate } from '../../core/json/json-body.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import type { Clock } from '../../core/ports.ts';

export function updateKey(keys: ApiKeys, clock: Clock): SessionEndpoint {
  return async (request, { pathParameters: { id = '' }, session: { accountId } }) => {
    const change = validate(updateKeyRequest, (await readJson(request)).value);
    return jsonResponse(keyEntry(await keys.change(accountId, id, change), clock()));
  };
}
