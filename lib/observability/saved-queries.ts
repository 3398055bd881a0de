/** Saves the queries where the log groups are: their names are made up by CloudFormation, and known to their stack alone. */
import { CfnQueryDefinition, type ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { type LogKind, QUERIES, type SavedQuery } from './queries.ts';

/** The most groups that one query reads (CloudWatch Logs API reference, StartQuery). */
const MOST_GROUPS = 50;

export interface SavedQueriesOptions {
  /** The queries are named `<folder>/<query>`; the console shows folders. */
  readonly folder: string;
  readonly groups: Readonly<Partial<Record<LogKind, readonly ILogGroup[]>>>;
}

/** Saves each query that has groups here; in parts where there are more groups than one query may read. */
export function saveQueries(scope: Construct, { folder, groups }: SavedQueriesOptions): void {
  for (const [name, query] of Object.entries(QUERIES)) {
    const parts = partsOf(query, groups);
    parts.forEach((logGroups, index) => {
      const part = parts.length === 1 ? name : `${name}-${index + 1}-of-${parts.length}`;
      new CfnQueryDefinition(scope, `Query-${part}`, {
        name: `${folder}/${part}`,
        queryString: query.lines.join('\n| '),
        logGroupNames: logGroups.map(({ logGroupName }) => logGroupName),
      });
    });
  }
}

/** The groups of the first kind that there is, as many at a time as fit beside all of the others. */
function partsOf({ reads }: SavedQuery, groups: SavedQueriesOptions['groups']): ILogGroup[][] {
  const [first = [], ...others] = reads.map((kind) => groups[kind] ?? []).filter((group) => group.length > 0);
  const rest = others.flat();
  const room = MOST_GROUPS - rest.length;
  const parts = Math.ceil(first.length / room);
  return Array.from({ length: parts }, (_, part) => [
    ...first.slice(part * room, (part + 1) * room),
    ...rest,
  ]);
}
