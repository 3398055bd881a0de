/** `PATCH /api-keys/{id}`: changes a key, in force for its next call. */
import { type ApiKeys, keyEntry } from '../../core/access/api-keys.ts';
import { updateKeyRequest } from '../../core/access/key-requests.ts';
import { authenticateSession, type Sessions } from '../../core/access/session.ts';
import { readJson, validate } from '../../core/json/json-body.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import type { Clock, Endpoint } from '../../core/ports.ts';

export interface UpdateKeyDependencies {
  readonly sessions: Pick<Sessions, 'verify'>;
  readonly keys: ApiKeys;
  readonly clock: Clock;
}

export function updateKey({ sessions, keys, clock }: UpdateKeyDependencies): Endpoint {
  return async (request, { pathParameters }) => {
    const accountId = await authenticateSession(request.headers, sessions);
    const change = validate(updateKeyRequest, (await readJson(request)).value);
    return jsonResponse(keyEntry(await keys.change(accountId, pathParameters.id ?? '', change), clock()));
  };
}
