/** Listings in DynamoDB: a listing, its slug and the counts that it is in change in one transaction or not at all. */
import type { DynamoDBClient, TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { TABLES } from '../../../platform/contract/tables.ts';
import type { Page, PageQuery } from '../../../platform/core/api/paging.ts';
import { type Item, number, readText, text } from '../../../platform/dynamodb/attribute-values.ts';
import { type CountKey, countOne, giveBack } from '../../../platform/dynamodb/quota-item.ts';
import { queryPage, readItem, readMany } from '../../../platform/dynamodb/reads.ts';
import { transact } from '../../../platform/dynamodb/transaction.ts';
import type { Listing, ListingKind } from '../../core/listings/listing.ts';
import type { CategoryCount, ListingStore } from '../../core/listings/ports.ts';
import {
  CATEGORIES,
  decodeListing,
  encodeListing,
  kindCategoryOf,
  listingCountKey,
  listingKey,
  ownedAttributes,
  putNew,
  slugKey,
} from './listing-item.ts';
import { newReleaseItems } from './release-item.ts';

const [BY_KIND, BY_KIND_CATEGORY] = TABLES.listings.indexes;

/** Places of a transaction's items, by which a failed condition is reported: the listing is first, its slug second. */
const LISTING_INDEX = 0;

export class DynamoListingStore implements ListingStore {
  readonly #client: DynamoDBClient;
  readonly #table: string;

  constructor(client: DynamoDBClient, table: string) {
    this.#client = client;
    this.#table = table;
  }

  async read(id: string): Promise<Listing | undefined> {
    const item = await readItem(this.#client, { TableName: this.#table, Key: listingKey(id) });
    return item === undefined ? undefined : decodeListing(item);
  }

  /** In the order of the ids; deleted ones are left out. */
  async readMany(ids: readonly string[]): Promise<readonly Listing[]> {
    const keys = [...new Set(ids)].map((id) => listingKey(id));
    const items = await readMany(this.#client, this.#table, keys);
    const listingsById = new Map(items.map((item) => [readText(item, 'listing_id'), decodeListing(item)]));
    return ids.flatMap((id) => listingsById.get(id) ?? []);
  }

  async list({
    kind,
    category,
    limit,
    after,
  }: PageQuery & {
    readonly kind: ListingKind;
    readonly category?: string | undefined;
  }): Promise<Page<Listing>> {
    const index = category === undefined ? BY_KIND : BY_KIND_CATEGORY;
    const partition = text(category === undefined ? kind : kindCategoryOf(kind, category));
    const { entries: ids, next } = await queryPage(
      this.#client,
      {
        TableName: this.#table,
        IndexName: index.name,
        KeyConditionExpression: '#partition = :partition',
        ExpressionAttributeNames: { '#partition': index.partitionKey },
        ExpressionAttributeValues: { ':partition': partition },
        ...(after === undefined
          ? {}
          : { ExclusiveStartKey: { ...listingKey(after), [index.partitionKey]: partition } }),
        ScanIndexForward: false,
        Limit: limit,
      },
      (item) => readText(item, 'listing_id'),
      (id) => id,
    );
    const listings = await this.readMany(ids);
    // The index follows the table within moments: a listing may have moved to another category since.
    return {
      entries: listings.filter((listing) => category === undefined || listing.category === category),
      next,
    };
  }

  categories({ limit, after }: PageQuery): Promise<Page<CategoryCount>> {
    return queryPage(
      this.#client,
      {
        TableName: this.#table,
        KeyConditionExpression: 'listing_id = :categories',
        ExpressionAttributeValues: { ':categories': text(CATEGORIES) },
        ...(after === undefined ? {} : { ExclusiveStartKey: listingKey(CATEGORIES, after) }),
        ConsistentRead: true,
        Limit: limit,
      },
      decodeCategory,
      ({ name }) => name,
    );
  }

  async create(listing: Listing, releaseId: string, max: number): ReturnType<ListingStore['create']> {
    const items = [
      putNew(this.#table, encodeListing(listing)),
      putNew(this.#table, { ...slugKey(listing), owner: text(listing.id) }),
      this.#count(listing, 1),
      ...newReleaseItems(
        {
          id: releaseId,
          listingId: listing.id,
          version: listing.version,
          notes: '',
          created: listing.created,
        },
        this.#table,
      ),
    ];
    const result = await transact(this.#client, [...items, countOne(this.#countOf(listing), max)]);
    if (result.done) return 'done';
    if (result.failed.includes(LISTING_INDEX)) throw new Error(`there is a listing ${listing.id} already`);
    return result.failed.includes(items.length) ? 'full' : 'slug_taken';
  }

  async replace(from: Listing, to: Listing): ReturnType<ListingStore['replace']> {
    const moved = from.slug !== to.slug;
    const recategorized = from.category !== to.category;
    const result = await transact(this.#client, [
      this.#update(from, ownedAttributes(to)),
      ...(moved
        ? [putNew(this.#table, { ...slugKey(to), owner: text(to.id) }), this.#delete(slugKey(from))]
        : []),
      ...(recategorized ? [this.#count(from, -1), this.#count(to, 1)] : []),
    ]);
    if (result.done) return 'done';
    return result.failed.includes(LISTING_INDEX) ? 'changed' : 'slug_taken';
  }

  async remove(listing: Listing): ReturnType<ListingStore['remove']> {
    const result = await transact(this.#client, [
      {
        Delete: {
          TableName: this.#table,
          Key: listingKey(listing.id),
          ConditionExpression: 'revision = :revision',
          ExpressionAttributeValues: { ':revision': number(listing.revision) },
        },
      },
      this.#delete(slugKey(listing)),
      this.#count(listing, -1),
      giveBack(this.#countOf(listing)),
    ]);
    return result.done ? 'done' : 'changed';
  }

  /** Returns the key of the number of the owner's listings. */
  #countOf({ ownerId }: Listing): CountKey {
    return { TableName: this.#table, Key: listingCountKey(ownerId) };
  }

  #delete(key: Item): TransactWriteItem {
    return { Delete: { TableName: this.#table, Key: key } };
  }

  /** Sets attributes, and removes those that are undefined, while the revision is still that one. */
  #update(
    { id, revision }: Listing,
    attributes: Record<string, Item[string] | undefined>,
  ): TransactWriteItem {
    const entries = Object.entries(attributes);
    const assignments = entries.flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as const],
    );
    const removed = entries.filter(([, value]) => value === undefined).map(([name]) => `#${name}`);
    const sets = `SET ${assignments.map(([name]) => `#${name} = :${name}`).join(', ')}`;
    return {
      Update: {
        TableName: this.#table,
        Key: listingKey(id),
        UpdateExpression: removed.length === 0 ? sets : `${sets} REMOVE ${removed.join(', ')}`,
        ConditionExpression: '#revision = :seen',
        ExpressionAttributeNames: Object.fromEntries(entries.map(([name]) => [`#${name}`, name])),
        ExpressionAttributeValues: {
          ...Object.fromEntries(assignments.map(([name, value]) => [`:${name}`, value])),
          ':seen': number(revision),
        },
      },
    };
  }

  #count({ kind, category }: Listing, change: 1 | -1): TransactWriteItem {
    return {
      Update: {
        TableName: this.#table,
        Key: listingKey(CATEGORIES, category),
        UpdateExpression: 'ADD #kind :change',
        ExpressionAttributeNames: { '#kind': countOf(kind) },
        ExpressionAttributeValues: { ':change': number(change) },
      },
    };
  }
}

/** Not the kind itself: that attribute would put the counts among the listings. */
const countOf = (kind: ListingKind): string => `count#${kind}`;

function decodeCategory(item: Item): CategoryCount {
  const count = (kind: ListingKind) => Number(item[countOf(kind)]?.N ?? 0);
  return { name: readText(item, 'item'), counts: { app: count('app'), 'ai-agent': count('ai-agent') } };
}
