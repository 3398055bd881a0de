/** `GET /api-keys`: the keys of the account that is signed in. */
import { type ApiKeys, keyEntry } from '../../core/access/api-keys.ts';
import type { SessionEndpoint } from '../../core/access/session.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import type { Clock } from '../../core/ports.ts';

export function listKeys(keys: ApiKeys, clock: Clock): SessionEndpoint {
  return async (_request, { session: { accountId } }) => {
    const found = await keys.list(accountId);
    const nowMs = clock();
    // An account has no more keys than fit on one page.
    return jsonResponse({
      object: 'list',
      data: found.map((state) => keyEntry(state, nowMs)),
      next_cursor: null,
    });
  };
}
