/** Reads of the purchases and subscriptions of an account. */
import { QueryCommand } from '@aws-sdk/client-dynamodb';
import { WalletReads } from '../../../ledger/store/wallet/reads.ts';
import type { DynamoClients } from '../../../platform/aws/clients.ts';
import { readText, text } from '../../../platform/dynamodb/attribute-values.ts';
import { readMany } from '../../../platform/dynamodb/reads.ts';
import { isEntitling } from '../../core/listings/activity.ts';
import type { Holdings } from '../../core/subscriptions/entitlement.ts';
import { partOf } from '../listings/acquisitions.ts';
import { DynamoListingStore } from '../listings/listing-store.ts';
import { decodePurchase, isRefunded, purchaseKey } from '../sales/purchase-item.ts';
import {
  decodeSubscription,
  LATEST_PREFIX,
  latestKey,
  subscriptionKey,
} from '../subscriptions/subscription-item.ts';

export interface HoldingsTables {
  readonly listings: string;
  readonly market: string;
  readonly wallets: string;
}

/** The listings that an account has, up to `max`: those with a subscription first. */
export async function heldListings(
  { client }: Pick<DynamoClients, 'client'>,
  tables: HoldingsTables,
  accountId: string,
  max: number,
): Promise<readonly string[]> {
  const query = { ConsistentRead: true, ScanIndexForward: false, Limit: max };
  const [subscribed, acquired] = await Promise.all([
    client.send(
      new QueryCommand({
        ...query,
        TableName: tables.market,
        KeyConditionExpression: 'owner_id = :account AND begins_with(#item, :latest)',
        ExpressionAttributeNames: { '#item': 'item' },
        ExpressionAttributeValues: { ':account': text(accountId), ':latest': text(LATEST_PREFIX) },
      }),
    ),
    client.send(
      new QueryCommand({
        ...query,
        TableName: tables.listings,
        KeyConditionExpression: 'listing_id = :part',
        ExpressionAttributeValues: { ':part': text(partOf(accountId)) },
      }),
    ),
  ]);
  const ids = [
    ...(subscribed.Items ?? []).map((item) => readText(item, 'item').slice(LATEST_PREFIX.length)),
    ...(acquired.Items ?? []).map((item) => readText(item, 'item')),
  ];
  return [...new Set(ids)].slice(0, max);
}

/** At most 100 listings, none twice. */
export async function readHoldings(
  { client }: Pick<DynamoClients, 'client'>,
  tables: HoldingsTables,
  accountId: string,
  listingIds: readonly string[],
): Promise<Holdings> {
  if (listingIds.length === 0) return { purchases: [], subscriptions: [], isInDebt: false };
  const purchaseKeys = listingIds.map((listingId) => purchaseKey(listingId, accountId));
  const latestKeys = listingIds.map((listingId) => latestKey(accountId, listingId));
  const [wallet, stored, latest] = await Promise.all([
    new WalletReads(client, tables.wallets).read(accountId),
    readMany(client, tables.listings, purchaseKeys),
    readMany(client, tables.market, latestKeys),
  ]);
  const purchases = stored.filter((item) => !isRefunded(item)).map(decodePurchase);
  const free = purchases.filter(({ amount }) => amount === 0).map(({ listingId }) => listingId);
  const listings = await new DynamoListingStore(client, tables.listings).readMany(free);
  const keys = latest.map((item) => subscriptionKey(accountId, readText(item, 'subscription_id')));
  const subscriptions = keys.length === 0 ? [] : await readMany(client, tables.market, keys);
  return {
    purchases: purchases.filter((purchase) =>
      isEntitling(
        purchase,
        listings.find(({ id }) => id === purchase.listingId),
      ),
    ),
    subscriptions: subscriptions.map(decodeSubscription),
    isInDebt: (wallet?.debt ?? 0n) > 0n,
  };
}
