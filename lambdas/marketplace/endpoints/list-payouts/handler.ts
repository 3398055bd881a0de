/** `GET /api/v1/payouts`: the payouts of the account, newest first. */

import { sessionHandler } from '../../../access/handlers/handlers.ts';
import { pageBody, queryOf } from '../../../platform/core/api/paging.ts';
import { validate } from '../../../platform/core/json/json-body.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { payoutEntry, payoutsQuery } from '../../core/payouts/payout-entry.ts';
import { createPayoutStore } from '../../store/create-payouts.ts';

export const handler = sessionHandler('platform', (resources) => {
  const store = createPayoutStore(resources);
  return async (request, { session: { accountId } }) => {
    const { limit, cursor } = validate(payoutsQuery, queryOf(request));
    return jsonResponse(pageBody(await store.list(accountId, limit, cursor), payoutEntry));
  };
});
