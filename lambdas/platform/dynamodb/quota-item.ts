/**
 * Counts of what an account has, or has made on a day: each an item of the table of what it counts, raised in the
 * transaction that makes the thing and lowered in the one that removes it. So a count is exact under every race and crash.
 * What an account had before it was counted is not in its count, which may pass below zero: it may have that much more.
 */
import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { type Item, number } from './attribute-values.ts';

/** A count of a day is kept for another one, for clocks that differ. */
const KEPT_DAYS = 2;

/** Names the item. */
export interface CountKey {
  readonly TableName: string;
  readonly Key: Item;
}

/** Counts one more, on the condition that it is within `most`. */
export const countOne = (key: CountKey, most: number): TransactWriteItem => ({
  Update: {
    ...key,
    UpdateExpression: 'ADD used :one',
    ConditionExpression: 'attribute_not_exists(used) OR used < :most',
    ExpressionAttributeValues: { ':one': number(1), ':most': number(most) },
  },
});

/** Counts one less. */
export const giveBack = (key: CountKey): TransactWriteItem => ({
  Update: { ...key, UpdateExpression: 'ADD used :less', ExpressionAttributeValues: { ':less': number(-1) } },
});

/** Counts one more of a day, as `countOne`; the key names the day, and the table removes the item when it is over. */
export const countOneOf = (day: number, key: CountKey, most: number): TransactWriteItem => ({
  Update: {
    ...key,
    UpdateExpression: 'ADD used :one SET expires = :expires',
    ConditionExpression: 'attribute_not_exists(used) OR used < :most',
    ExpressionAttributeValues: {
      ':one': number(1),
      ':most': number(most),
      ':expires': number((day + KEPT_DAYS) * 86_400),
    },
  },
});

/** The partition of an account's counts in a table that has partitions of something else. */
export const countsOf = (accountId: string): string => `counts#${accountId}`;
