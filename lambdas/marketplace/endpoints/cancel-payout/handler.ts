/** `POST /api/v1/payouts/{id}/cancel`: cancels a payout that has not been sent. */

import { sessionHandler } from '../../../access/handlers/handlers.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { payoutEntry } from '../../core/payouts/payout-entry.ts';
import { cancelPayout } from '../../core/payouts/requests.ts';
import { createPayoutStore } from '../../store/create-payouts.ts';

export const handler = sessionHandler('platform', (resources) => {
  const payouts = { ...resources, store: createPayoutStore(resources) };
  return async (_request, { pathParameters: { id = '' }, session: { accountId: sellerId } }) =>
    jsonResponse(payoutEntry(await cancelPayout(payouts, { sellerId, id })));
});
