/** `POST /apps/{id}/entitlement-token`, and the same of `/ai-agents`: a proof for the product of a listing. */

import { keyOrSessionHandler } from '../../../access/handlers/handlers.ts';
import { requireTable } from '../../../platform/contract/tables.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { admitAny, nothing } from '../../../webhooks/core/access.ts';
import { kindOf } from '../../core/listings/listing.ts';
import { issueEntitlementToken } from '../../core/subscriptions/entitlement-token.ts';
import { createListings } from '../../store/create-listings.ts';
import { entitlementKeysOf } from '../../store/entitlements/entitlement-keys.ts';
import { readHoldings } from '../../store/entitlements/holdings.ts';
import { createPseudonyms } from '../../store/entitlements/pseudonyms.ts';

export const handler = keyOrSessionHandler('platform', (resources) => {
  const { clients, environment, clock } = resources;
  const tables = {
    listings: requireTable(environment, 'listings'),
    market: requireTable(environment, 'market'),
    wallets: requireTable(environment, 'wallets'),
  };
  const dependencies = {
    clock,
    listings: createListings(resources),
    holdings: (accountId: string, listingId: string) => readHoldings(clients, tables, accountId, [listingId]),
    pseudonym: createPseudonyms(clients.client, tables.market),
    sign: entitlementKeysOf(resources).sign,
  };
  return async (request, { pathParameters: { id = '' } }) => {
    const { accountId, headers } = await admitAny(resources, request, nothing);
    const body = await issueEntitlementToken(dependencies, { kind: kindOf(request), id, accountId });
    return jsonResponse(body, headers, 201);
  };
});
