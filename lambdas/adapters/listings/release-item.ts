/** Releases as items: one in the order of time, and one under its version, which can be there only once. */
import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { Release } from '../../core/listings/activity.ts';
import { type Item, number, readNumber, readText, text } from '../dynamodb/attribute-values.ts';
import { listingKey } from './listing-item.ts';

/** Goes before the release's id, which sorts by time. */
export const RELEASE_PREFIX = 'release#';

export const versionKey = (listingId: string, version: string): Item =>
  listingKey(listingId, `version#${version}`);

/** The version's own item, under the condition that it is new, and then the release. */
export function newReleaseItems(release: Release, table: string): readonly TransactWriteItem[] {
  const { id, listingId, version, notes, created } = release;
  return [
    {
      Put: {
        TableName: table,
        Item: { ...versionKey(listingId, version), release_id: text(id) },
        ConditionExpression: 'attribute_not_exists(listing_id)',
      },
    },
    {
      Put: {
        TableName: table,
        Item: {
          ...listingKey(listingId, `${RELEASE_PREFIX}${id}`),
          id: text(id),
          version: text(version),
          notes: text(notes),
          created: number(created),
        },
      },
    },
  ];
}

export const decodeRelease = (item: Item): Release => ({
  id: readText(item, 'id'),
  listingId: readText(item, 'listing_id'),
  version: readText(item, 'version'),
  notes: readText(item, 'notes'),
  created: readNumber(item, 'created'),
});
