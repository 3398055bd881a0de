/** Sending a DynamoDB transaction: again when it met another write or a throttle, with the places of failed conditions. */
import {
  type DynamoDBClient,
  TransactionCanceledException,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { isSafeToRetry } from '../core/transient.ts';

/** Another write to an item takes milliseconds; a hot item is free again within a second. */
const MAX_ATTEMPTS = 10;
const PAUSE_MS = 10;

/** The result of a transaction. If it was not done, `failed` has the indexes of the items whose condition failed. */
export type TransactionResult =
  | { readonly done: true }
  | { readonly done: false; readonly failed: readonly number[] };

/** Writes all items or none. The SDK gives each try a token, so that its own repetition is not a second write. */
export async function transact(
  client: DynamoDBClient,
  items: readonly TransactWriteItem[],
): Promise<TransactionResult> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      await client.send(new TransactWriteItemsCommand({ TransactItems: [...items] }));
      return { done: true };
    } catch (failure) {
      if (!(failure instanceof TransactionCanceledException)) throw failure;
      const failed = (failure.CancellationReasons ?? []).flatMap(({ Code: code }, index) =>
        code === 'ConditionalCheckFailed' ? [index] : [],
      );
      if (failed.length > 0) return { done: false, failed };
      if (!isSafeToRetry(failure) || attempts === MAX_ATTEMPTS) throw failure;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * attempts));
    }
  }
}
