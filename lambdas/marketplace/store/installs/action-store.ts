/** Installs and reviews in DynamoDB: each once per account, with the counts it raises and the event that reports it, or not at all. */
import type { DynamoDBClient, TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { Page, PageQuery } from '../../../platform/core/api/paging.ts';
import { dayOf } from '../../../platform/core/api/quotas.ts';
import {
  type Item,
  number,
  readNumber,
  readText,
  text,
} from '../../../platform/dynamodb/attribute-values.ts';
import { countOneOf } from '../../../platform/dynamodb/quota-item.ts';
import { readItem } from '../../../platform/dynamodb/reads.ts';
import { transact } from '../../../platform/dynamodb/transaction.ts';
import type { Review } from '../../core/listings/activity.ts';
import type { ActionResult, InstallStore, ReviewStore } from '../../core/listings/ports.ts';
import { acquisitionKey, putAcquisition } from '../listings/acquisitions.ts';
import { countInstall } from '../listings/install-buckets.ts';
import { historyPage } from '../listings/listing-history.ts';
import { dayCountKey, encodeEvent, listingKey, putNew } from '../listings/listing-item.ts';
import { latestKey } from '../subscriptions/subscription-item.ts';

/** Places of a transaction's items, by which a failed condition is reported: what happens once is first. */
const ONCE_INDEX = 0;

/** Goes before the review's id, which sorts by time. */
const REVIEW_PREFIX = 'review#';

/**
 * Runs an action once. The first of the items is the one that can exist only once. The action is rejected if the
 * account's count of the day would exceed `count.max`.
 */
async function doOnce(
  client: DynamoDBClient,
  table: string,
  items: readonly TransactWriteItem[],
  count: {
    readonly what: 'installs' | 'reviews';
    readonly entry: { readonly accountId: string; readonly created: number };
    readonly max: number;
  },
): Promise<ActionResult> {
  const day = dayOf(count.entry.created);
  const Key = dayCountKey(count.entry.accountId, count.what, day);
  const result = await transact(client, [...items, countOneOf(day, { TableName: table, Key }, count.max)]);
  if (result.done) return 'done';
  if (result.failed.includes(ONCE_INDEX)) return 'repeated';
  return result.failed.includes(items.length) ? 'full' : 'gone';
}

/** Changes the listing, if there is one. */
const raise = (table: string, listingId: string, expression: string, values: Item): TransactWriteItem => ({
  Update: {
    TableName: table,
    Key: listingKey(listingId),
    UpdateExpression: expression,
    ConditionExpression: 'attribute_exists(listing_id)',
    ExpressionAttributeValues: values,
  },
});

/** `discovery` counts installs for the rankings. */
export function createInstallStore(
  client: DynamoDBClient,
  { listings, discovery }: { readonly listings: string; readonly discovery: string },
): InstallStore {
  const keyOf = (listingId: string, accountId: string) => listingKey(listingId, `install#${accountId}`);
  return {
    install(entry, { kind }, event, max) {
      const { listingId, accountId, created } = entry;
      const items = [
        putNew(listings, { ...keyOf(listingId, accountId), created: number(created) }),
        raise(listings, listingId, 'SET installs = installs + :one', { ':one': number(1) }),
        putNew(listings, encodeEvent(listingId, event, created)),
        countInstall(discovery, { listingId, kind, created }),
        putAcquisition(listings, 'installed', entry),
      ];
      return doOnce(client, listings, items, { what: 'installs', entry, max });
    },
    async findInstall(listingId, accountId) {
      const item = await readItem(client, { TableName: listings, Key: keyOf(listingId, accountId) });
      return item === undefined ? undefined : { listingId, accountId, created: readNumber(item, 'created') };
    },
  };
}

export const createReviewStore = (
  client: DynamoDBClient,
  { listings: table, market }: { readonly listings: string; readonly market: string },
): ReviewStore => ({
  async customerStatus(listingId, accountId) {
    const [item, latest] = await Promise.all([
      readItem(client, { TableName: table, Key: acquisitionKey(accountId, listingId) }),
      readItem(client, { TableName: market, Key: latestKey(accountId, listingId) }),
    ]);
    return {
      installed: item?.installed !== undefined,
      purchased: item?.purchased !== undefined,
      subscribed: latest !== undefined,
    };
  },
  review(entry, event, max) {
    const { id, listingId, accountId, rating, created } = entry;
    const items = [
      putNew(table, { ...listingKey(listingId, `reviewer#${accountId}`), review_id: text(id) }),
      raise(table, listingId, 'SET rating_sum = rating_sum + :rating, rating_count = rating_count + :one', {
        ':rating': number(rating),
        ':one': number(1),
      }),
      putNew(table, encodeReview(entry)),
      putNew(table, encodeEvent(listingId, event, created)),
    ];
    return doOnce(client, table, items, { what: 'reviews', entry, max });
  },
});

/** Newest first. */
export const readReviews = (
  client: DynamoDBClient,
  table: string,
  listingId: string,
  query: PageQuery,
): Promise<Page<Review>> =>
  historyPage(client, table, { listingId, prefix: REVIEW_PREFIX, decode: decodeReview }, query);

const encodeReview = ({ id, listingId, accountId, rating, text: content, created }: Review): Item => ({
  ...listingKey(listingId, `${REVIEW_PREFIX}${id}`),
  id: text(id),
  account_id: text(accountId),
  rating: number(rating),
  text: text(content),
  created: number(created),
});

const decodeReview = (item: Item): Review => ({
  id: readText(item, 'id'),
  listingId: readText(item, 'listing_id'),
  accountId: readText(item, 'account_id'),
  rating: readNumber(item, 'rating'),
  text: readText(item, 'text'),
  created: readNumber(item, 'created'),
});
