/** `GET /api-keys`: the keys of the account that is signed in. */

import { createKeyRegistry } from '../../adapters/access/create-accounts.ts';
import { type KeyRegistry, keyEntry } from '../../core/access/api-keys.ts';
import type { SessionEndpoint } from '../../core/access/session.ts';
import { pageBody } from '../../core/api/paging.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import type { Clock } from '../../core/ports.ts';
import { sessionHandler } from '../../hosts/handlers.ts';

function listKeys(registry: KeyRegistry, clock: Clock): SessionEndpoint {
  return async (_request, { session: { accountId } }) => {
    const found = await registry.list(accountId);
    const nowMs = clock();
    // An account has no more keys than fit on one page.
    return jsonResponse(pageBody({ entries: found, next: undefined }, (state) => keyEntry(state, nowMs)));
  };
}

export const handler = sessionHandler('platform', (resources) =>
  listKeys(createKeyRegistry(resources), resources.clock),
);
