/** `GET /api-keys`: the keys of the account that is signed in. */

import { pageBody } from '../../../platform/core/api/paging.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { keyEntry } from '../../core/keys/api-keys.ts';
import { sessionHandler } from '../../handlers/handlers.ts';
import { createKeyRegistry } from '../../store/create-accounts.ts';

export const handler = sessionHandler('platform', (resources) => {
  const registry = createKeyRegistry(resources);
  const { clock } = resources;
  return async (_request, { session: { accountId } }) => {
    const keys = await registry.list(accountId);
    const nowMs = clock();
    // An account has no more keys than fit on one page.
    return jsonResponse(pageBody({ entries: keys, next: undefined }, (state) => keyEntry(state, nowMs)));
  };
});
