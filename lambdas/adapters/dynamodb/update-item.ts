/** One conditional update of one item, which returns what it found either way. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  DynamoDBServiceException,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import { isRefusal } from '../../core/errors.ts';
import type { Item } from './attribute-values.ts';

export interface UpdateResult {
  readonly applied: boolean;
  /** What the command asks to be returned when applied, else the item that failed the condition. */
  readonly item: Item | undefined;
}

/** A transaction on the item takes milliseconds, a throttled partition recovers within a second: so often, so long. */
const MAX_REFUSALS = 5;
const REFUSAL_PAUSE_MS = 20;

/** Sends again what the database has certainly not done and the SDK has not sent again itself. */
export async function updateItem(
  client: DynamoDBClient,
  command: UpdateItemCommandInput,
): Promise<UpdateResult> {
  for (let refusals = 0; ; refusals += 1) {
    try {
      const { Attributes: item } = await client.send(
        new UpdateItemCommand({ ...command, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }),
      );
      return { applied: true, item };
    } catch (failure) {
      if (failure instanceof ConditionalCheckFailedException) return { applied: false, item: failure.Item };
      const sentOnce = failure instanceof DynamoDBServiceException && failure.$metadata.attempts === 1;
      if (!sentOnce || !isRefusal(failure) || refusals === MAX_REFUSALS) throw failure;
      await sleep(REFUSAL_PAUSE_MS * (refusals + 1));
    }
  }
}
