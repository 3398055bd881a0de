/** Installs in DynamoDB: each with the counts it raises and the event that reports it, or not at all. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Install } from '../../core/listings/activity.ts';
import type { Listing } from '../../core/listings/listing.ts';
import type { ActionResult, InstallStore } from '../../core/listings/ports.ts';
import type { PublishedEvent } from '../../core/webhooks/event.ts';
import { type Item, number, readNumber } from '../dynamodb/attribute-values.ts';
import { readItem } from '../dynamodb/reads.ts';
import { countInstall } from './install-buckets.ts';
import { encodeEvent, listingKey } from './listing-item.ts';
import { ListingWrites } from './listing-writes.ts';

export interface InstallTables {
  readonly listings: string;
  /** Counts installs for the rankings. */
  readonly discovery: string;
}

export class DynamoInstallStore implements InstallStore {
  readonly #client: DynamoDBClient;
  readonly #table: string;
  readonly #discovery: string;
  readonly #writes: ListingWrites;

  constructor(client: DynamoDBClient, { listings, discovery }: InstallTables) {
    this.#client = client;
    this.#table = listings;
    this.#discovery = discovery;
    this.#writes = new ListingWrites(client, listings);
  }

  async install(
    { listingId, accountId, created }: Install,
    { kind }: Listing,
    event: PublishedEvent,
    most: number,
  ): Promise<ActionResult> {
    return this.#writes.once(
      [
        this.#writes.put({ ...installKey(listingId, accountId), created: number(created) }),
        this.#writes.update(listingId, 'SET installs = installs + :one', { ':one': number(1) }),
        this.#writes.put(encodeEvent(listingId, event, created)),
        countInstall(this.#discovery, { listingId, kind, created }),
      ],
      this.#writes.countToday('installs', { accountId, created }, most),
    );
  }

  async findInstall(listingId: string, accountId: string): Promise<Install | undefined> {
    const item = await readItem(this.#client, {
      TableName: this.#table,
      Key: installKey(listingId, accountId),
    });
    return item === undefined ? undefined : { listingId, accountId, created: readNumber(item, 'created') };
  }
}

const installKey = (listingId: string, accountId: string): Item =>
  listingKey(listingId, `install#${accountId}`);
