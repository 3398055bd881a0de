/** `GET /api-keys`: the keys of the account that is signed in. */
import { type ApiKeys, keyEntry } from '../../core/access/api-keys.ts';
import type { SessionEndpoint } from '../../core/access/session.ts';
import { pageBody } from '../../core/api/paging.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import type { Clock } from '../../core/ports.ts';

export function listKeys(keys: ApiKeys, clock: Clock): SessionEndpoint {
  return async (_request, { session: { accountId } }) => {
    const found = await keys.list(accountId);
    const nowMs = clock();
    // An account has no more keys than fit on one page.
    return jsonResponse(pageBody({ entries: found, next: undefined }, (state) => keyEntry(state, nowMs)));
  };
}
