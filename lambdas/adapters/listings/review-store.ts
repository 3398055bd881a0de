/** Reviews in DynamoDB: each with the listing's rating and the event that reports it, or not at all. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Page, PageQuery } from '../../core/api/paging.ts';
import type { Review } from '../../core/listings/activity.ts';
import type { ActionResult, ReviewStore } from '../../core/listings/ports.ts';
import type { PublishedEvent } from '../../core/webhooks/event.ts';
import { type Item, number, readNumber, readText, text } from '../dynamodb/attribute-values.ts';
import { queryPage } from '../dynamodb/reads.ts';
import { encodeEvent, listingKey } from './listing-item.ts';
import { ListingWrites } from './listing-writes.ts';

/** Goes before the review's id, which sorts by time. */
const REVIEW_PREFIX = 'review#';

export class DynamoReviewStore implements ReviewStore {
  readonly #client: DynamoDBClient;
  readonly #table: string;
  readonly #writes: ListingWrites;

  constructor(client: DynamoDBClient, table: string) {
    this.#client = client;
    this.#table = table;
    this.#writes = new ListingWrites(client, table);
  }

  async review(review: Review, event: PublishedEvent, most: number): Promise<ActionResult> {
    const { id, listingId, accountId, rating, created } = review;
    return this.#writes.once(
      [
        this.#writes.put({ ...listingKey(listingId, `reviewer#${accountId}`), review_id: text(id) }),
        this.#writes.update(
          listingId,
          'SET rating_sum = rating_sum + :rating, rating_count = rating_count + :one',
          { ':rating': number(rating), ':one': number(1) },
        ),
        this.#writes.put(encodeReview(review)),
        this.#writes.put(encodeEvent(listingId, event, created)),
      ],
      this.#writes.countToday('reviews', review, most),
    );
  }

  reviews(listingId: string, { limit, after }: PageQuery): Promise<Page<Review>> {
    return queryPage(
      this.#client,
      {
        TableName: this.#table,
        KeyConditionExpression: 'listing_id = :listing AND begins_with(#item, :prefix)',
        ExpressionAttributeNames: { '#item': 'item' },
        ExpressionAttributeValues: { ':listing': text(listingId), ':prefix': text(REVIEW_PREFIX) },
        ...(after === undefined
          ? {}
          : { ExclusiveStartKey: listingKey(listingId, `${REVIEW_PREFIX}${after}`) }),
        ScanIndexForward: false,
        Limit: limit,
      },
      decodeReview,
      ({ id }) => id,
    );
  }
}

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
