/**
 * A restore: the service is closed, the tables are restored next to the current ones, access is reduced in them, and the
 * artifacts of their builds come back.
 */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { requireTable } from '../../lambdas/platform/contract/tables.ts';
import type { Clock } from '../../lambdas/platform/core/ports.ts';
import { CLOSED_WITHIN_MS } from '../../lambdas/platform/core/stage-check.ts';
import type { Maintenance } from '../service/maintenance.ts';
import type { OperatorTarget } from '../target.ts';
import { ACCESS_TABLES, type AccessTableNames, type ReducedAccess, reduceAccess } from './access.ts';
import { type RestoredBuilds, restoreBuildsOf } from './builds.ts';
import { type RestoredTables, restoreTables } from './tables.ts';

export interface RestoreDependencies {
  readonly client: DynamoDBClient;
  readonly target: OperatorTarget;
  readonly maintenance: Pick<Maintenance, 'close'>;
  readonly clock: Clock;
  readonly sleep: (ms: number) => Promise<unknown>;
}

export interface Restore {
  readonly restoredTables: RestoredTables;
  /** The access that was taken away since that time, and is taken away in the restored tables too. */
  readonly access: ReducedAccess;
  /** Undefined without a market. */
  readonly builds: RestoredBuilds | undefined;
}

/**
 * Resolves when the tables exist, are complete, and grant no access that was taken away since. Safe to repeat; to be
 * repeated after any change by a command. Throws DynamoDB's error for a time out of its range.
 */
export async function restore(
  { client, target, maintenance, clock, sleep }: RestoreDependencies,
  at: Date,
): Promise<Restore> {
  if (target.client.endpoint !== undefined)
    throw new Error('the local service keeps no past: name a --stage');
  const { since } = await maintenance.close('restore');
  const restoredTables = await restoreTables(client, target, at);
  const namesOf = (nameOf: (table: (typeof ACCESS_TABLES)[number]) => string) =>
    Object.fromEntries(ACCESS_TABLES.map((table) => [table, nameOf(table)])) as AccessTableNames;
  const current = namesOf((table) => requireTable(target.environment, table));
  const restored = namesOf((table) => restoredTables[table]?.name ?? '');
  if (ACCESS_TABLES.some((table) => current[table] === restored[table]))
    throw new Error('the deployment uses the restored tables of this time already');
  // No request may take access away unseen by the comparison.
  await sleep(Math.max(0, Date.parse(since) + CLOSED_WITHIN_MS - clock()));
  const access = await reduceAccess({ client, current, restored, clock });
  const builds = await restoreBuildsOf(client, target, restoredTables.market?.name);
  return { restoredTables, access, builds };
}
