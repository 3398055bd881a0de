/** Releases in DynamoDB: a release, the current version and the event about it change together. */
import type { DynamoDBClient, TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { Page, PageQuery } from '../../core/api/paging.ts';
import type { Release } from '../../core/listings/activity.ts';
import type { Listing } from '../../core/listings/listing.ts';
import type { ReleaseStore } from '../../core/listings/ports.ts';
import type { PublishedEvent } from '../../core/webhooks/event.ts';
import { number, text } from '../dynamodb/attribute-values.ts';
import { queryPage } from '../dynamodb/reads.ts';
import { transact } from '../dynamodb/transaction.ts';
import { encodeEvent, listingKey } from './listing-item.ts';
import { decodeRelease, newReleaseItems, RELEASE_PREFIX, versionKey } from './release-item.ts';

/** Places of a transaction's items, by which a failed condition is reported: the listing is first. */
const LISTING_PLACE = 0;

export class DynamoReleaseStore implements ReleaseStore {
  readonly #client: DynamoDBClient;
  readonly #table: string;
  readonly #nowSeconds: () => number;

  constructor(client: DynamoDBClient, table: string, nowSeconds: () => number) {
    this.#client = client;
    this.#table = table;
    this.#nowSeconds = nowSeconds;
  }

  async release(
    release: Release,
    listing: Listing,
    event: PublishedEvent,
  ): ReturnType<ReleaseStore['release']> {
    const result = await transact(this.#client, [
      this.#setVersion(release.version, listing, 1),
      ...newReleaseItems(release, this.#table),
      this.#publish(listing, event),
    ]);
    if (result.done) return 'done';
    return result.failed.includes(LISTING_PLACE) ? 'changed' : 'repeated';
  }

  async rollback(
    version: string,
    listing: Listing,
    event: PublishedEvent,
  ): ReturnType<ReleaseStore['rollback']> {
    const result = await transact(this.#client, [
      this.#setVersion(version, listing, 0),
      {
        ConditionCheck: {
          TableName: this.#table,
          Key: versionKey(listing.id, version),
          ConditionExpression: 'attribute_exists(listing_id)',
        },
      },
      this.#publish(listing, event),
    ]);
    if (result.done) return 'done';
    return result.failed.includes(LISTING_PLACE) ? 'changed' : 'no_such_release';
  }

  releases(listingId: string, { limit, after }: PageQuery): Promise<Page<Release>> {
    return queryPage(
      this.#client,
      {
        TableName: this.#table,
        KeyConditionExpression: 'listing_id = :listing AND begins_with(#item, :prefix)',
        ExpressionAttributeNames: { '#item': 'item' },
        ExpressionAttributeValues: { ':listing': text(listingId), ':prefix': text(RELEASE_PREFIX) },
        ...(after === undefined
          ? {}
          : { ExclusiveStartKey: listingKey(listingId, `${RELEASE_PREFIX}${after}`) }),
        ScanIndexForward: false,
        Limit: limit,
      },
      decodeRelease,
      ({ id }) => id,
    );
  }

  #setVersion(version: string, { id, revision }: Listing, released: 0 | 1): TransactWriteItem {
    return {
      Update: {
        TableName: this.#table,
        Key: listingKey(id),
        UpdateExpression:
          'SET version = :version, updated = :now, revision = revision + :one ADD releases :released',
        ConditionExpression: 'revision = :revision',
        ExpressionAttributeValues: {
          ':version': text(version),
          ':now': number(this.#nowSeconds()),
          ':one': number(1),
          ':released': number(released),
          ':revision': number(revision),
        },
      },
    };
  }

  #publish(listing: Listing, event: PublishedEvent): TransactWriteItem {
    return { Put: { TableName: this.#table, Item: encodeEvent(listing.id, event, this.#nowSeconds()) } };
  }
}
