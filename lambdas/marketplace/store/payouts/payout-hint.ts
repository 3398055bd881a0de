/**
 * The place of payouts in the table of the market, and the hint that the payment provider has news of one: the payout
 * becomes due, and what processes it asks the provider. So an event that is repeated, late or wrong changes no money.
 */
import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { PayoutReference } from '../../../payments/core/ports.ts';
import { requireTable, TABLES } from '../../../platform/contract/tables.ts';
import { type Item, text } from '../../../platform/dynamodb/attribute-values.ts';
import { systemClock } from '../../../platform/system/system.ts';

export const PAYOUT_PREFIX = 'payout#';

/** Payouts are few, and share one partition of the index. */
export const PAYOUTS_DUE = 'payouts';

const [DUE_INDEX] = TABLES.market.indexes;

export const payoutKey = ({ sellerId, id }: PayoutReference): Item => ({
  owner_id: text(sellerId),
  item: text(`${PAYOUT_PREFIX}${id}`),
});

/** Ten digits until the year 2286, so that the times sort as texts. */
export const payoutDueAttributes = (seconds: number): Item => ({
  [DUE_INDEX.partitionKey]: text(PAYOUTS_DUE),
  [DUE_INDEX.sortKey]: text(String(seconds).padStart(10, '0')),
});

export interface PayoutHintOptions {
  readonly client: DynamoDBClient;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Creates the hint on the table that the environment names. */
export function createPayoutHint({ client, environment }: PayoutHintOptions) {
  const market = requireTable(environment, 'market');
  return (payout: PayoutReference) => hintPayout(client, market, payout, Math.floor(systemClock() / 1000));
}

/** Returns false if there is no such payout. */
export async function hintPayout(
  client: DynamoDBClient,
  table: string,
  payout: PayoutReference,
  nowSeconds: number,
): Promise<boolean> {
  const due = payoutDueAttributes(nowSeconds);
  try {
    await client.send(
      new UpdateItemCommand({
        TableName: table,
        Key: payoutKey(payout),
        UpdateExpression: 'SET #shard = :shard, #due = :due',
        ConditionExpression: 'attribute_exists(owner_id)',
        ExpressionAttributeNames: { '#shard': DUE_INDEX.partitionKey, '#due': DUE_INDEX.sortKey },
        ExpressionAttributeValues: {
          ':shard': due[DUE_INDEX.partitionKey] ?? text(''),
          ':due': due[DUE_INDEX.sortKey] ?? text(''),
        },
      }),
    );
    return true;
  } catch (failure) {
    if (failure instanceof ConditionalCheckFailedException) return false;
    throw failure;
  }
}
