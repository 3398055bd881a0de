/** The current catalog and the one before it, from the history that their table keeps. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { requireTable } from '../../contract/tables.ts';
import type { AppliedCatalog, LatestCatalogs } from '../../core/inference/catalog/catalog-view.ts';
import { readItem } from '../dynamodb/reads.ts';
import { type AppliedVersion, readLatest } from './catalog-history.ts';
import { pointerKey, readVersion } from './catalog-store.ts';

/** Throws an error that names the table's variable when it is not set. */
export function createLatestCatalogs(
  client: DynamoDBClient,
  environment: Readonly<Record<string, string | undefined>>,
): LatestCatalogs {
  const table = requireTable(environment, 'catalog');
  const read = async (found: AppliedVersion | undefined): Promise<AppliedCatalog | undefined> => {
    if (found === undefined) return undefined;
    const { json, version } = await readVersion(client, table, found);
    return { version, json, appliedMs: found.appliedMs };
  };
  return async () => {
    const pointer = await readItem(client, pointerKey(table));
    const [current, before] = await readLatest(client, table, pointer, 2);
    return { current: await read(current), before: await read(before) };
  };
}
