/** `GET /api/v1/entitlements`: whether the account, or a customer of it, may use listings, by a purchase or a subscription. */

import { keyOrSessionHandler } from '../../../access/handlers/handlers.ts';
import { requireTable } from '../../../platform/contract/tables.ts';
import { queryOf } from '../../../platform/core/api/paging.ts';
import { ServiceError } from '../../../platform/core/errors.ts';
import { validate } from '../../../platform/core/json/json-body.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { admitAny } from '../../../webhooks/core/access.ts';
import { entitlementsBody } from '../../core/subscriptions/entitlement.ts';
import { ownListings } from '../../core/subscriptions/entitlement-token.ts';
import { entitlementsQuery, MAX_ENTITLEMENTS } from '../../core/subscriptions/requests.ts';
import { heldListings, readHoldings } from '../../store/entitlements/holdings.ts';
import { customerOf } from '../../store/entitlements/pseudonyms.ts';
import { DynamoListingStore } from '../../store/listings/listing-store.ts';

async function readQuery(request: Pick<Request, 'url'>) {
  const query = validate(entitlementsQuery, queryOf(request));
  if (query.subscriber_id !== undefined && query.listing_id === undefined)
    throw new ServiceError('missing_field', 'listing_id is required.', { param: 'listing_id' });
  return query;
}

export const handler = keyOrSessionHandler('platform', (resources) => {
  const { clients, clock, environment } = resources;
  const tables = {
    listings: requireTable(environment, 'listings'),
    market: requireTable(environment, 'market'),
    wallets: requireTable(environment, 'wallets'),
  };
  const listings = new DynamoListingStore(clients.client, tables.listings);
  const heldOf = (accountId: string) => heldListings(clients, tables, accountId, MAX_ENTITLEMENTS);
  const heldBy = async (customer: string, listingIds: readonly string[]) => {
    if (customer.startsWith('acc_')) return { holder: customer, listingIds };
    const found = await customerOf(clients.client, tables.market, listingIds, customer);
    return { holder: found?.accountId ?? '', listingIds: found === undefined ? [] : [found.listingId] };
  };
  return async (request) => {
    const { accountId, input, headers } = await admitAny(resources, request, readQuery);
    const { subscriber_id: customer, listing_id: named } = input;
    const { holder, listingIds } =
      customer === undefined || named === undefined
        ? { holder: accountId, listingIds: named ?? (await heldOf(accountId)) }
        : await heldBy(customer, ownListings(await listings.readMany(named), accountId));
    const holdings = await readHoldings(clients, tables, holder, listingIds);
    return jsonResponse(entitlementsBody(holdings, Math.floor(clock() / 1000)), headers);
  };
});
