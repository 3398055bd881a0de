/** Maintenance mode: the item that closes and opens a deployment, which no function can write. */
import { DeleteItemCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { CLOSED_ITEM } from '../../lambdas/platform/contract/maintenance.ts';
import { requireTable } from '../../lambdas/platform/contract/tables.ts';
import type { Clock } from '../../lambdas/platform/core/ports.ts';
import { readText, text } from '../../lambdas/platform/dynamodb/attribute-values.ts';
import { putItem } from '../../lambdas/platform/dynamodb/update-item.ts';
import type { OperatorTarget } from '../target.ts';

interface ClosedState {
  readonly closed: true;
  readonly since: string;
  readonly reason: string;
}

export interface Maintenance {
  /** Closes the service, unless it is closed. Returns since when it is closed, and why. */
  close(reason: string): Promise<ClosedState>;
  open(): Promise<void>;
}

/** The text is for operators. */
const MAX_REASON = 500;

export function createMaintenance(
  { environment }: Pick<OperatorTarget, 'environment'>,
  client: DynamoDBClient,
  clock: Clock,
): Maintenance {
  const table = () => requireTable(environment, 'catalog');
  const key = { part: text(CLOSED_ITEM) };
  return {
    async close(reason) {
      if (reason.length > MAX_REASON) throw new Error(`--reason must have at most ${MAX_REASON} characters`);
      const item = { ...key, since: text(new Date(clock()).toISOString()), reason: text(reason) };
      const put = { TableName: table(), Item: item, ConditionExpression: 'attribute_not_exists(part)' };
      const stored = (await putItem(client, put)) ?? item;
      return { closed: true, since: readText(stored, 'since'), reason: readText(stored, 'reason') };
    },
    async open() {
      await client.send(new DeleteItemCommand({ TableName: table(), Key: key }));
    },
  };
}
