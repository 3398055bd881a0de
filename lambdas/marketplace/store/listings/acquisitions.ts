/** The acquisitions of an account in DynamoDB: one item for each listing, in a partition of the account. */
import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { DynamoClients } from '../../../platform/aws/clients.ts';
import type { Page, PageQuery } from '../../../platform/core/api/paging.ts';
import { type Item, number, readText, text } from '../../../platform/dynamodb/attribute-values.ts';
import { queryPage, readItem } from '../../../platform/dynamodb/reads.ts';
import type { Acquisition } from '../../core/purchases/acquisition.ts';
import { listingKey } from './listing-item.ts';
import { DynamoListingStore } from './listing-store.ts';

/** No listing has such an id. */
export const partOf = (accountId: string): string => `acquired#${accountId}`;

export const acquisitionKey = (accountId: string, listingId: string): Item =>
  listingKey(partOf(accountId), listingId);

/** Records an install or a purchase, as part of the transaction that makes it. */
export const putAcquisition = (
  table: string,
  how: 'installed' | 'purchased',
  { listingId, accountId, created }: { listingId: string; accountId: string; created: number },
): TransactWriteItem => ({
  Update: {
    TableName: table,
    Key: acquisitionKey(accountId, listingId),
    UpdateExpression: `SET ${how} = :created`,
    ExpressionAttributeValues: { ':created': number(created) },
  },
});

/**
 * Returns the write that removes a purchase, and the item if the listing is not installed either. It fails if the
 * listing was installed since, so that the caller repeats it.
 */
export async function removePurchase(
  client: DynamoClients['client'],
  table: string,
  { listingId, accountId }: { listingId: string; accountId: string },
): Promise<TransactWriteItem> {
  const key = { TableName: table, Key: acquisitionKey(accountId, listingId) };
  const item = await readItem(client, key);
  if (item?.installed === undefined)
    return { Delete: { ...key, ConditionExpression: 'attribute_not_exists(installed)' } };
  return {
    Update: {
      ...key,
      UpdateExpression: 'REMOVE purchased',
      ConditionExpression: 'attribute_exists(installed)',
    },
  };
}

/** The account's acquisitions, the newest listings first, each with its listing as it is now. */
export async function readAcquisitions(
  client: DynamoClients['client'],
  table: string,
  accountId: string,
  { limit, after }: PageQuery,
): Promise<Page<Acquisition>> {
  const { entries, next } = await queryPage(
    client,
    {
      TableName: table,
      KeyConditionExpression: 'listing_id = :part',
      ExpressionAttributeValues: { ':part': text(partOf(accountId)) },
      ...(after === undefined ? {} : { ExclusiveStartKey: listingKey(partOf(accountId), after) }),
      // An install is listed at once.
      ConsistentRead: true,
      ScanIndexForward: false,
      Limit: limit,
    },
    decode,
    ({ listingId }) => listingId,
  );
  const listings = await new DynamoListingStore(client, table).readMany(
    entries.map(({ listingId }) => listingId),
  );
  const byId = new Map(listings.map((listing) => [listing.id, listing]));
  return { entries: entries.map((entry) => ({ ...entry, listing: byId.get(entry.listingId) })), next };
}

const secondsOf = (item: Item, name: string): number | undefined =>
  item[name]?.N === undefined ? undefined : Number(item[name].N);

const decode = (item: Item) => ({
  listingId: readText(item, 'item'),
  installed: secondsOf(item, 'installed'),
  purchased: secondsOf(item, 'purchased'),
});
