/** `GET /api/v1/entitlements`: whether the account may use listings, by a purchase or a subscription. */

import { keyOrSessionHandler } from '../../../access/handlers/handlers.ts';
import { requireTable } from '../../../platform/contract/tables.ts';
import { queryOf } from '../../../platform/core/api/paging.ts';
import { validate } from '../../../platform/core/json/json-body.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { admit } from '../../../webhooks/core/access.ts';
import { entitlementsBody } from '../../core/subscriptions/entitlement.ts';
import { entitlementsQuery, MAX_ENTITLEMENTS } from '../../core/subscriptions/requests.ts';
import { heldListings, readHoldings } from '../../store/holdings.ts';

const readQuery = async (request: Pick<Request, 'url'>) => validate(entitlementsQuery, queryOf(request));

export const handler = keyOrSessionHandler('platform', (resources) => {
  const { clients, clock, environment } = resources;
  const tables = {
    listings: requireTable(environment, 'listings'),
    market: requireTable(environment, 'market'),
    wallets: requireTable(environment, 'wallets'),
  };
  return async (request) => {
    const { accountId, input, headers } = await admit(resources, request, readQuery);
    const listingIds = input.listing_id ?? (await heldListings(clients, tables, accountId, MAX_ENTITLEMENTS));
    const holdings = await readHoldings(clients, tables, accountId, listingIds);
    return jsonResponse(entitlementsBody(holdings, Math.floor(clock() / 1000)), headers);
  };
});
