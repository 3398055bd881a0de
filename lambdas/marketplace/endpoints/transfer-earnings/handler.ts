/** `POST /api/v1/earnings/transfer`: makes available earnings the account's own credit. */

import { sessionHandler } from '../../../access/handlers/handlers.ts';
import { readJson, validate } from '../../../platform/core/json/json-body.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { transferEarnings } from '../../core/earnings/postings.ts';
import { readIdempotencyKey, transferEntry, transferRequest } from '../../core/earnings/requests.ts';
import { createEarningsStore } from '../../store/create-earnings.ts';

export const handler = sessionHandler('platform', (resources) => {
  const earnings = { ...resources, store: createEarningsStore(resources) };
  return async (request, { session: { accountId: sellerId } }) => {
    const key = readIdempotencyKey(request);
    const { amount } = validate(transferRequest, (await readJson(request)).value);
    return jsonResponse(transferEntry(await transferEarnings(earnings, { sellerId, key }, amount)), {}, 201);
  };
});
