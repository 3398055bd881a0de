/** `GET /api-keys`: the keys of the account that is signed in. */
import { type ApiKeys, keyEntry } from '../../core/access/api-keys.ts';
import { authenticateSession, type Sessions } from '../../core/access/session.ts';
import { pageBody } from '../../core/api/paging.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import type { Clock, Endpoint } from '../../core/ports.ts';

export interface ListKeysDependencies {
  readonly sessions: Pick<Sessions, 'verify'>;
  readonly keys: ApiKeys;
  readonly clock: Clock;
}

export function listKeys({ sessions, keys, clock }: ListKeysDependencies): Endpoint {
  return async (request) => {
    const found = await keys.list(await authenticateSession(request.headers, sessions));
    const nowMs = clock();
    // An account has no more keys than fit on one page.
    return jsonResponse(pageBody({ entries: found, next: undefined }, (state) => keyEntry(state, nowMs)));
  };
}
