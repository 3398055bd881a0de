/** The catalog of a stage, and the layouts of its data, which begin with its first catalog. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import {
  readCatalogVersion,
  readVersions,
  writeCatalog,
} from '../../lambdas/inference/store/catalog-history.ts';
import { readCatalog } from '../../lambdas/inference/store/catalog-store.ts';
import {
  deleteReferencePrices,
  writeReferencePrices,
} from '../../lambdas/inference/store/reference-prices.ts';
import { RELEASE } from '../../lambdas/platform/contract/release.ts';
import { requireTable } from '../../lambdas/platform/contract/tables.ts';
import { systemClock } from '../../lambdas/platform/system/system.ts';
import { addressesOf } from '../addresses.ts';
import type { OperatorTarget } from '../target.ts';
import { createLayouts } from './layouts.ts';

/** Returns the version that the platform states. Throws if it does not respond. */
async function servedRelease(target: OperatorTarget): Promise<string> {
  // A local service that is about to start announces no address yet; it is of this version.
  if (target.addresses === undefined) return RELEASE;
  const { platform } = await addressesOf(target);
  const response = await fetch(`${platform}/`);
  const { release } = z.object({ release: z.string() }).parse(await response.json());
  return release;
}

/** The catalog with its earlier versions, the reference prices that it is compared with, and the layouts. */
export function catalogOf(target: OperatorTarget, client: DynamoDBClient) {
  const table = requireTable(target.environment, 'catalog');
  const layouts = createLayouts({ client, table: () => table, servedRelease: () => servedRelease(target) });
  return {
    /** The layouts that the data of the stage may have. */
    layouts,
    /**
     * Returns the version. With the first catalog, a stage begins with the newest layouts. Throws if another version than
     * `expected` is current by then.
     */
    async applyCatalog(json: string, expected?: string): Promise<string> {
      if ((await readCatalog(client, table)) === undefined) await layouts.begin();
      return writeCatalog(client, table, json, { expected });
    },
    catalog: () => readCatalog(client, table),
    catalogVersions: () => readVersions(client, table),
    catalogVersion: (version: string) => readCatalogVersion(client, table, version),
    /** Has the catalog compared with these reference prices from now on, or with none; returns their version. */
    async watchPrices(json: string | undefined): Promise<string | undefined> {
      if (json !== undefined)
        return writeReferencePrices(client, table, { json, given: Math.floor(systemClock() / 1000) });
      await deleteReferencePrices(client, table);
      return undefined;
    },
  };
}
