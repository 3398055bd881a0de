/** `POST /api/v1/refunds`: the seller returns all or part of a price to the buyer. */

import { sessionHandler } from '../../../access/handlers/handlers.ts';
import { readJson, validate } from '../../../platform/core/json/json-body.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { NANO_PER_CENT } from '../../../platform/core/money.ts';
import { refund } from '../../core/earnings/postings.ts';
import { readIdempotencyKey, refundEntry, refundRequest } from '../../core/earnings/requests.ts';
import { createEarningsStore } from '../../store/create-earnings.ts';

export const handler = sessionHandler('platform', (resources) => {
  const earnings = { ...resources, store: createEarningsStore(resources) };
  return async (request, { session: { accountId: sellerId } }) => {
    const key = readIdempotencyKey(request);
    const { charge, amount: cents } = validate(refundRequest, (await readJson(request)).value);
    const amount = cents === undefined ? undefined : BigInt(cents) * NANO_PER_CENT;
    const posted = await refund(earnings, { sellerId, key }, { chargeId: charge, amount });
    return jsonResponse(refundEntry(charge, posted), {}, 201);
  };
});
