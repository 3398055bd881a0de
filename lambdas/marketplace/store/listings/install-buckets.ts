/**
 * Installs counted by listing, day and hour, so that trending listings are computed without a read of every install.
 */
import { type DynamoDBClient, paginateQuery, type TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { number, readText, text } from '../../../platform/dynamodb/attribute-values.ts';
import { HOUR_SECONDS, type InstallBucket, LONGEST_WINDOW_SECONDS } from '../../core/discovery/trending.ts';
import type { Install } from '../../core/listings/activity.ts';
import type { ListingKind } from '../../core/listings/listing.ts';
import { readKind } from './listing-item.ts';

const DAY_SECONDS = 24 * HOUR_SECONDS;

/** A day leaves the longest window before its counts go. */
const RETENTION_SECONDS = LONGEST_WINDOW_SECONDS + 3 * DAY_SECONDS;

const HOUR = /^h(\d{1,2})$/;

const partOf = (day: number): string =>
  `installs#${new Date(day * DAY_SECONDS * 1000).toISOString().slice(0, 10)}`;

/** Counts one install, as part of the transaction that makes it. */
export function countInstall(
  table: string,
  { listingId, kind, created }: Omit<Install, 'accountId'> & { readonly kind: ListingKind },
): TransactWriteItem {
  const day = Math.floor(created / DAY_SECONDS);
  return {
    Update: {
      TableName: table,
      Key: { part: text(partOf(day)), entry: text(listingId) },
      UpdateExpression: 'ADD #hour :one SET kind = :kind, expires = :expires',
      ExpressionAttributeNames: { '#hour': `h${Math.floor((created % DAY_SECONDS) / HOUR_SECONDS)}` },
      ExpressionAttributeValues: {
        ':one': number(1),
        ':kind': text(kind),
        ':expires': number((day + 1) * DAY_SECONDS + RETENTION_SECONDS),
      },
    },
  };
}

/** Every count of one day (days since the epoch, UTC). */
export async function readDay(
  client: DynamoDBClient,
  table: string,
  day: number,
): Promise<readonly InstallBucket[]> {
  const buckets: InstallBucket[] = [];
  const pages = paginateQuery(
    { client },
    {
      TableName: table,
      KeyConditionExpression: 'part = :part',
      ExpressionAttributeValues: { ':part': text(partOf(day)) },
    },
  );
  for await (const { Items: items = [] } of pages) {
    for (const item of items) {
      for (const [name, value] of Object.entries(item)) {
        const hour = HOUR.exec(name)?.[1];
        if (hour === undefined) continue;
        buckets.push({
          listingId: readText(item, 'entry'),
          kind: readKind(readText(item, 'kind')),
          startSeconds: day * DAY_SECONDS + Number(hour) * HOUR_SECONDS,
          installs: Number(value.N),
        });
      }
    }
  }
  return buckets;
}
