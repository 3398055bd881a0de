/** The catalog of a deployment as it is stored, with its earlier versions and the reference prices. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { systemClock } from '../system/system.ts';
import { readCatalogVersion, readVersions, writeCatalog } from './catalog-history.ts';
import { readCatalog } from './catalog-store.ts';
import { deleteReferencePrices, writeReferencePrices } from './reference-prices.ts';

/** Returns the version of the reference prices; undefined when there are none from now on. */
async function watchPrices(
  client: DynamoDBClient,
  table: string,
  json: string | undefined,
): Promise<string | undefined> {
  if (json !== undefined)
    return writeReferencePrices(client, table, { json, given: Math.floor(systemClock() / 1000) });
  await deleteReferencePrices(client, table);
  return undefined;
}

/** The catalog, with its earlier versions. */
export const catalogOf = (client: DynamoDBClient, table: string) => ({
  applyCatalog: (json: string) => writeCatalog(client, table, json),
  catalog: () => readCatalog(client, table),
  catalogVersions: () => readVersions(client, table),
  catalogVersion: (version: string) => readCatalogVersion(client, table, version),
  watchPrices: (json: string | undefined) => watchPrices(client, table, json),
});
