/** Conditional writes of one item, which return the item in either case. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  DynamoDBServiceException,
  PutItemCommand,
  type PutItemCommandInput,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import { isSafeToRetry } from '../core/transient.ts';
import { type Item, number } from './attribute-values.ts';
import { copySigningLimit } from './signing-limit.ts';

export interface WriteResult {
  readonly applied: boolean;
  /** The item that the command requests if applied, otherwise the item that failed the condition. */
  readonly item: Item | undefined;
  /** The number of times that the request was sent. A copy without a response may still be executed. */
  readonly copies: number;
}

/** A transaction on the item takes milliseconds, a throttled partition recovers within a second: so often, so long. */
const MAX_THROTTLES = 5;
const RETRY_PAUSE_MS = 20;

/** Sends again what the database has certainly not done and the SDK has not sent again itself. */
export function updateItem(
  client: DynamoDBClient,
  input: UpdateItemCommandInput,
  maxThrottles: number = MAX_THROTTLES,
): Promise<WriteResult> {
  const sent: UpdateItemCommandInput = { ...input, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' };
  copySigningLimit(input, sent);
  return write(() => client.send(new UpdateItemCommand(sent)), maxThrottles);
}

/** Puts an item under a condition; returns the item that failed it, or undefined when the item was written. */
export async function putItem(client: DynamoDBClient, input: PutItemCommandInput): Promise<Item | undefined> {
  const command = () => new PutItemCommand({ ...input, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' });
  const { applied, item } = await write(() => client.send(command()));
  if (!applied && item === undefined) throw new Error('a condition failed on an item that does not exist');
  return applied ? undefined : item;
}

/** Puts the version that follows `version`, which is 0 before the first; returns false when another one is stored. */
export async function putNextVersion(
  client: DynamoDBClient,
  input: { readonly TableName: string; readonly Item: Item },
  version: number,
): Promise<boolean> {
  const condition = {
    ConditionExpression: '#version = :found',
    ExpressionAttributeNames: { '#version': 'version' },
    ExpressionAttributeValues: { ':found': number(version) },
  };
  const isNew = {
    ConditionExpression: 'attribute_not_exists(#version)',
    ExpressionAttributeNames: { '#version': 'version' },
  };
  const Item = { ...input.Item, version: number(version + 1) };
  return (await putItem(client, { ...input, Item, ...(version === 0 ? isNew : condition) })) === undefined;
}

async function write(
  send: () => Promise<{ readonly Attributes?: Item | undefined }>,
  maxThrottles = MAX_THROTTLES,
): Promise<WriteResult> {
  for (let throttles = 0; ; throttles += 1) {
    try {
      const { Attributes: item } = await send();
      return { applied: true, item, copies: 1 };
    } catch (failure) {
      if (failure instanceof ConditionalCheckFailedException)
        return { applied: false, item: failure.Item, copies: failure.$metadata.attempts ?? 1 };
      const sentOnce = failure instanceof DynamoDBServiceException && (failure.$metadata.attempts ?? 1) === 1;
      if (!sentOnce || !isSafeToRetry(failure) || throttles === maxThrottles) throw failure;
      await sleep(RETRY_PAUSE_MS * (throttles + 1));
    }
  }
}
