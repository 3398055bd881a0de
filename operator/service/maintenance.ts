/** Maintenance mode: closes and opens a deployment in the stage's record, which no function can write. */
import { type DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { STAGE_ITEM } from '../../lambdas/platform/contract/stage.ts';
import { requireTable } from '../../lambdas/platform/contract/tables.ts';
import type { Clock } from '../../lambdas/platform/core/ports.ts';
import { type Item, readText, text } from '../../lambdas/platform/dynamodb/attribute-values.ts';
import { readItem } from '../../lambdas/platform/dynamodb/reads.ts';
import { updateItem } from '../../lambdas/platform/dynamodb/update-item.ts';
import type { OperatorTarget } from '../target.ts';

interface ClosedState {
  readonly closed: true;
  readonly since: string;
  readonly reason: string;
}

const closedState = (stored: Item): ClosedState => ({
  closed: true,
  since: readText(stored, 'closed_since'),
  reason: readText(stored, 'closed_reason'),
});

export interface Maintenance {
  /** Closes the service, unless it is closed (`repeated`). Returns since when it is closed, and why. */
  close(reason: string): Promise<ClosedState & { readonly repeated: boolean }>;
  show(): Promise<ClosedState | { readonly closed: false }>;
  open(): Promise<void>;
}

/** The text is for operators. */
const MAX_REASON = 500;

export function createMaintenance(
  { environment }: Pick<OperatorTarget, 'environment'>,
  client: DynamoDBClient,
  clock: Clock,
): Maintenance {
  const item = () => ({ TableName: requireTable(environment, 'catalog'), Key: { part: text(STAGE_ITEM) } });
  return {
    async close(reason) {
      if (reason.length > MAX_REASON) throw new Error(`--reason must have at most ${MAX_REASON} characters`);
      const { applied, item: stored } = await updateItem(client, {
        ...item(),
        UpdateExpression: 'SET closed_since = :since, closed_reason = :reason',
        ConditionExpression: 'attribute_not_exists(closed_since)',
        ExpressionAttributeValues: {
          ':since': text(new Date(clock()).toISOString()),
          ':reason': text(reason),
        },
        ReturnValues: 'ALL_NEW',
      });
      if (stored === undefined) throw new Error('the record of the stage cannot be read');
      return { ...closedState(stored), repeated: !applied };
    },
    async show() {
      const stored = await readItem(client, item());
      return stored?.closed_since === undefined ? { closed: false } : closedState(stored);
    },
    async open() {
      const remove = { ...item(), UpdateExpression: 'REMOVE closed_since, closed_reason' };
      await client.send(new UpdateItemCommand(remove));
    },
  };
}
