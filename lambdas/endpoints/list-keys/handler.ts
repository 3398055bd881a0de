/** `GET /api-keys`: the keys of the account that is signed in. */

import { createKeyRegistry } from '../../adapters/access/create-accounts.ts';
import { keyEntry } from '../../core/access/api-keys.ts';
import { pageBody } from '../../core/api/paging.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { sessionHandler } from '../../hosts/handlers.ts';

export const handler = sessionHandler('platform', (resources) => {
  const registry = createKeyRegistry(resources);
  const { clock } = resources;
  return async (_request, { session: { accountId } }) => {
    const found = await registry.list(accountId);
    const nowMs = clock();
    // An account has no more keys than fit on one page.
    return jsonResponse(pageBody({ entries: found, next: undefined }, (state) => keyEntry(state, nowMs)));
  };
});
