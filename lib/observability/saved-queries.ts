/**
 * Saves the queries in the stack of the log groups: CloudFormation generates their names, and only that stack has them.
 */
import { CfnQueryDefinition, type ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { type LogKind, QUERIES, type SavedQuery } from './queries.ts';

/** The most groups that one query reads (CloudWatch Logs API reference, StartQuery). */
const MAX_GROUPS = 50;

export interface SavedQueriesOptions {
  /** The queries are named `<folder>/<query>`; the console shows folders. */
  readonly folder: string;
  readonly groups: Readonly<Partial<Record<LogKind, readonly ILogGroup[]>>>;
}

/** Saves each query that has groups here; in parts where there are more groups than one query may read. */
export function saveQueries(scope: Construct, { folder, groups }: SavedQueriesOptions): void {
  for (const [name, query] of Object.entries(QUERIES)) {
    const batches = batchesOf(query, groups);
    batches.forEach((logGroups, index) => {
      const queryName = batches.length === 1 ? name : `${name}-${index + 1}-of-${batches.length}`;
      new CfnQueryDefinition(scope, `Query-${queryName}`, {
        name: `${folder}/${queryName}`,
        queryString: query.lines.join('\n| '),
        logGroupNames: logGroups.map(({ logGroupName }) => logGroupName),
      });
    });
  }
}

/** Returns the groups of the first available type, in lists that fit next to all of the others. */
function batchesOf({ reads }: SavedQuery, groups: SavedQueriesOptions['groups']): ILogGroup[][] {
  const [first = [], ...otherGroups] = reads
    .map((kind) => groups[kind] ?? [])
    .filter((group) => group.length > 0);
  const rest = otherGroups.flat();
  const capacity = MAX_GROUPS - rest.length;
  const batchCount = Math.ceil(first.length / capacity);
  return Array.from({ length: batchCount }, (_, index) => [
    ...first.slice(index * capacity, (index + 1) * capacity),
    ...rest,
  ]);
}
