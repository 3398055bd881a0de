/** The purchase of a listing, in the partition of the listing: one item for each buyer. */
import type { DynamoDBClient, TransactWriteItem } from '@aws-sdk/client-dynamodb';
import {
  type Item,
  number,
  readNumber,
  readText,
  text,
} from '../../../platform/dynamodb/attribute-values.ts';
import { readItem } from '../../../platform/dynamodb/reads.ts';
import type { Sale } from '../../core/earnings/sale.ts';
import type { Purchase } from '../../core/listings/activity.ts';
import { listingKey } from '../listings/listing-item.ts';

export const REFUNDED = { BOOL: true };

export const isRefunded = (item: Item): boolean => item.refunded?.BOOL === true;

export const purchaseKey = (listingId: string, buyerId: string): Item =>
  listingKey(listingId, `purchase#${buyerId}`);

/**
 * Returns the write that marks the purchase of a sale as completely refunded. Returns undefined if there is no such
 * purchase any more: the listing and its history may have been deleted.
 */
export async function markRefunded(
  client: DynamoDBClient,
  table: string,
  { listingId, buyerId, chargeId }: Pick<Sale, 'listingId' | 'buyerId' | 'chargeId'>,
): Promise<TransactWriteItem | undefined> {
  const key = { TableName: table, Key: purchaseKey(listingId, buyerId) };
  const item = await readItem(client, key);
  if (item?.id?.S !== chargeId) return undefined;
  return {
    Update: {
      ...key,
      UpdateExpression: 'SET refunded = :refunded',
      ConditionExpression: 'id = :charge',
      ExpressionAttributeValues: { ':refunded': REFUNDED, ':charge': text(chargeId) },
    },
  };
}

export const encodePurchase = ({ id, listingId, buyerId, amount, currency, created }: Purchase): Item => ({
  ...purchaseKey(listingId, buyerId),
  id: text(id),
  buyer_id: text(buyerId),
  minor_units: number(amount),
  currency: text(currency),
  created: number(created),
});

export const decodePurchase = (item: Item): Purchase => ({
  id: readText(item, 'id'),
  listingId: readText(item, 'listing_id'),
  buyerId: readText(item, 'buyer_id'),
  amount: readNumber(item, 'minor_units'),
  currency: readText(item, 'currency'),
  created: readNumber(item, 'created'),
});
