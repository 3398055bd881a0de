/** `GET /api/v1/earnings/transactions`: sales, refunds and transfers of the account, newest first. */

import { sessionHandler } from '../../../access/handlers/handlers.ts';
import { pageBody, queryOf } from '../../../platform/core/api/paging.ts';
import { validate } from '../../../platform/core/json/json-body.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { transactionEntry, transactionsQuery } from '../../core/earnings/requests.ts';
import { createEarningsStore } from '../../store/create-earnings.ts';
import { createListingStore } from '../../store/create-listings.ts';

export const handler = sessionHandler('platform', (resources) => {
  const store = createEarningsStore(resources);
  const listings = createListingStore(resources);
  return async (request, { session: { accountId } }) => {
    const { limit, cursor } = validate(transactionsQuery, queryOf(request));
    const page = await store.list(accountId, limit, cursor);
    const sold = await listings.readMany(page.entries.flatMap(({ sale }) => sale?.listingId ?? []));
    const names = new Map(sold.map(({ id, name }) => [id, name]));
    return jsonResponse(pageBody(page, (line) => transactionEntry(line, names)));
  };
});
