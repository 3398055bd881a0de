/** `GET /api/v1/payouts/{id}`: one payout of the account. */

import { sessionHandler } from '../../../access/handlers/handlers.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { payoutEntry } from '../../core/payouts/payout-entry.ts';
import { ownPayout } from '../../core/payouts/requests.ts';
import { createPayoutStore } from '../../store/create-payouts.ts';

export const handler = sessionHandler('platform', (resources) => {
  const store = createPayoutStore(resources);
  return async (_request, { pathParameters: { id = '' }, session: { accountId: sellerId } }) =>
    jsonResponse(payoutEntry(await ownPayout(store, { sellerId, id })));
});
