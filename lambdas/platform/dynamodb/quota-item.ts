/**
 * Counts of an account's objects, in total or per day. Each count is an item in the table of the counted objects. The
 * transaction that creates an object increases it, and the one that removes the object decreases it. A count is
 * therefore exact under every race and crash. Objects from before the counting are not included, so the count may go
 * below zero, and the account may have that many more.
 */
import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { type Item, number } from './attribute-values.ts';

/** A count of a day is retained for another day, for clocks that differ. */
const RETENTION_DAYS = 2;

/** Names the item. */
export interface CountKey {
  readonly TableName: string;
  readonly Key: Item;
}

/** Counts one more, on the condition that the count stays within `max`. */
export const countOne = (key: CountKey, max: number): TransactWriteItem => ({
  Update: {
    ...key,
    UpdateExpression: 'ADD used :one',
    ConditionExpression: 'attribute_not_exists(used) OR used < :most',
    ExpressionAttributeValues: { ':one': number(1), ':most': number(max) },
  },
});

/** Counts one less. */
export const giveBack = (key: CountKey): TransactWriteItem => ({
  Update: { ...key, UpdateExpression: 'ADD used :less', ExpressionAttributeValues: { ':less': number(-1) } },
});

/** Counts one more of a day, as `countOne`; the key names the day, and the table removes the item when it is over. */
export const countOneOf = (day: number, key: CountKey, max: number): TransactWriteItem => ({
  Update: {
    ...key,
    UpdateExpression: 'ADD used :one SET expires = :expires',
    ConditionExpression: 'attribute_not_exists(used) OR used < :most',
    ExpressionAttributeValues: {
      ':one': number(1),
      ':most': number(max),
      ':expires': number((day + RETENTION_DAYS) * 86_400),
    },
  },
});

/** The partition of an account's counts in a table that has partitions of something else. */
export const countsOf = (accountId: string): string => `counts#${accountId}`;
