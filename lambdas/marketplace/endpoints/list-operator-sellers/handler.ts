/** `GET /api/v1/operator/sellers`: every seller with its balance, held and returned sales, and payouts. */

import { operatorHandler } from '../../../access/handlers/handlers.ts';
import { pageBody, queryOf } from '../../../platform/core/api/paging.ts';
import { validate } from '../../../platform/core/json/json-body.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { sellerSummaryEntry, sellersQuery } from '../../core/payouts/seller-summary.ts';
import { createSellerSummaries } from '../../store/payouts/seller-summaries.ts';

export const handler = operatorHandler('platform', ({ clients, environment }) => {
  const read = createSellerSummaries({ client: clients.client, environment });
  return async (request) => {
    const { limit, cursor } = validate(sellersQuery, queryOf(request));
    return jsonResponse(pageBody(await read({ limit, after: cursor }), sellerSummaryEntry));
  };
});
