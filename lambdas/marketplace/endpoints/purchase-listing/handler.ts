/** `POST /apps/{id}/purchase`, and the same of `/ai-agents`: buys a listing once, at the price that was shown, out of the account's credit. */

import { sessionHandler } from '../../../access/handlers/handlers.ts';
import { requireTable } from '../../../platform/contract/tables.ts';
import { readOptionalJson, validate } from '../../../platform/core/json/json-body.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { purchaseEntry, purchaseRequest } from '../../core/listings/activity.ts';
import { kindOf } from '../../core/listings/listing.ts';
import { namesState, readIfMatch } from '../../core/listings/revision.ts';
import { purchase } from '../../core/purchases/purchases.ts';
import { readSaleTerms } from '../../store/create-earnings.ts';
import { createListings } from '../../store/create-listings.ts';
import { DynamoPurchaseStore } from '../../store/purchases/purchase-store.ts';

export const handler = sessionHandler('platform', (resources) => {
  const { clients, environment } = resources;
  const tables = {
    listings: requireTable(environment, 'listings'),
    accounts: requireTable(environment, 'accounts'),
    wallets: requireTable(environment, 'wallets'),
    market: requireTable(environment, 'market'),
  };
  const store = new DynamoPurchaseStore(clients, tables);
  const terms = readSaleTerms(environment);
  const purchases = { ...resources, store, terms, listings: createListings(resources) };
  return async (request, { pathParameters: { id = '' }, session: { accountId } }) => {
    const state = namesState(request.headers) ? readIfMatch(request.headers) : undefined;
    const price = validate(purchaseRequest, await readOptionalJson(request));
    const condition = { state, price };
    const { entry, repeated } = await purchase(
      purchases,
      { kind: kindOf(request), id, accountId },
      condition,
    );
    return jsonResponse(purchaseEntry(entry), {}, repeated ? 200 : 201);
  };
});
