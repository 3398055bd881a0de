/** `GET /apps/{id}/releases/{version}/artifact`, and the same of `/ai-agents`: signs a download. */

import { sessionHandler } from '../../../access/handlers/handlers.ts';
import { requireTable } from '../../../platform/contract/tables.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { downloadArtifact } from '../../core/builds/releases.ts';
import { kindOf } from '../../core/listings/listing.ts';
import { entitlementsBody } from '../../core/subscriptions/entitlement.ts';
import { BucketFiles, createFileClient } from '../../store/builds/build-files.ts';
import { createReleaseStore } from '../../store/builds/release-store.ts';
import { bucketOf, createBuildStore, marketTables } from '../../store/create-builds.ts';
import { createListings } from '../../store/create-listings.ts';
import { readHoldings } from '../../store/entitlements/holdings.ts';

export const handler = sessionHandler('platform', (resources) => {
  const { clients, environment, clock } = resources;
  const tables = marketTables(environment);
  const holdingsTables = { ...tables, wallets: requireTable(environment, 'wallets') };
  const releases = {
    ...resources,
    store: createReleaseStore(clients.client, tables, clock),
    builds: createBuildStore(resources),
    isEntitled: async (accountId: string, listingId: string) => {
      const holdings = await readHoldings(clients, holdingsTables, accountId, [listingId]);
      return entitlementsBody(holdings, Math.floor(clock() / 1000)).data.some(({ active }) => active);
    },
    listings: createListings(resources),
    signer: new BucketFiles(createFileClient(), bucketOf(environment)),
  };
  return async (request, { pathParameters: { id = '', version = '' }, session: { accountId } }) =>
    jsonResponse(await downloadArtifact(releases, { kind: kindOf(request), id, accountId }, version));
});
