/** Listings and what belongs to them as items of one table: a listing and its history share a partition. */
import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { TABLES } from '../../platform/contract/tables.ts';
import { type Item, map, number, readMap, readText, text } from '../../platform/dynamodb/attribute-values.ts';
import {
  asNumber,
  asOneOf,
  asText,
  asTexts,
  attribute,
  codec,
  type FieldCodecs,
  orElse,
} from '../../platform/dynamodb/codec.ts';
import { countsOf } from '../../platform/dynamodb/quota-item.ts';
import type { PublishedEvent } from '../../webhooks/core/event.ts';
import {
  LISTING_KINDS,
  type Listing,
  type ListingFields,
  type ListingKind,
  type Price,
} from '../core/listing.ts';

/** Published events are kept this long, for whoever looks into a delivery that went wrong. */
const EVENT_SECONDS = 7 * 24 * 3600;

export const LISTING_ITEM = 'listing';
export const EVENT_PREFIX = 'event#';

/** The partition of the categories' counts; no listing has such an id. */
export const CATEGORIES = 'categories';

export const listingKey = (id: string, item: string = LISTING_ITEM): Item => ({
  listing_id: text(id),
  item: text(item),
});

export const slugKey = ({ kind, slug }: Pick<Listing, 'kind' | 'slug'>): Item =>
  listingKey(`slug#${kind}#${slug}`, 'slug');

/** The write of an item that is not there yet. */
export const putNew = (table: string, item: Item): TransactWriteItem => ({
  Put: { TableName: table, Item: item, ConditionExpression: 'attribute_not_exists(listing_id)' },
});

/** An account's count of its listings; no listing has such an id. */
export const listingCountKey = (accountId: string): Item => listingKey(countsOf(accountId), 'listings');

/** An account's count of what it has done to listings on a day. */
export const dayCountKey = (
  accountId: string,
  what: 'installs' | 'reviews' | 'purchases',
  day: number,
): Item => listingKey(countsOf(accountId), `${what}#${day}`);

/** The index of the listings of one kind and category. */
const BY_KIND_CATEGORY = TABLES.listings.indexes[1];

/** Its partition key. */
export const kindCategoryOf = (kind: ListingKind, category: string): string => `${kind}#${category}`;

export const KIND = asOneOf('kind', LISTING_KINDS);

export const PRICE = codec<Price>({ amount: asNumber('minor_units'), currency: asText('currency') });

const owned: FieldCodecs<ListingFields> = {
  name: asText('name'),
  slug: asText('slug'),
  summary: asText('summary'),
  description: asText('description'),
  category: asText('category'),
  tags: asTexts('tags'),
  version: asText('version'),
  price: orElse(
    attribute<Price>(
      'price',
      (price) => map(PRICE.encode(price)),
      (item, name) => PRICE.decode(readMap(item, name)),
    ),
    null,
  ),
  url: orElse(asText('url'), null),
  iconUrl: orElse(asText('icon_url'), null),
};

const changes: FieldCodecs<Pick<Listing, 'updated' | 'revision'>> = {
  updated: asNumber('updated'),
  revision: asNumber('revision'),
};

const OWNED = codec({ ...owned, ...changes });

/** Returns the fields that the owner sets, by attribute. `undefined` marks an attribute that the item does not have. */
export const ownedAttributes = (listing: Listing): Record<string, Item[string] | undefined> => ({
  ...Object.fromEntries(Object.values(owned).map(({ name }) => [name, undefined])),
  [BY_KIND_CATEGORY.partitionKey]: text(kindCategoryOf(listing.kind, listing.category)),
  ...OWNED.encode(listing),
});

const RELEASES = asNumber('releases');

const LISTING = codec<Listing>({
  ...owned,
  ...changes,
  id: asText('listing_id'),
  kind: KIND,
  ownerId: asText('owner_id'),
  installs: asNumber('installs'),
  releases: { ...RELEASES, decode: (item) => (item.releases === undefined ? 0 : RELEASES.decode(item)) },
  ratings: codec<Listing['ratings']>({ sum: asNumber('rating_sum'), count: asNumber('rating_count') }),
  created: asNumber('created'),
});

export const encodeListing = (listing: Listing): Item => ({
  ...LISTING.encode(listing),
  ...listingKey(listing.id),
  [BY_KIND_CATEGORY.partitionKey]: text(kindCategoryOf(listing.kind, listing.category)),
});

export const decodeListing = (item: Item): Listing => LISTING.decode(item);

/** An event waiting to be published, in the partition of its listing. */
export const encodeEvent = (listingId: string, event: PublishedEvent, created: number): Item => ({
  ...listingKey(listingId, `${EVENT_PREFIX}${event.id}`),
  event_id: text(event.id),
  type: text(event.type),
  account_id: text(event.accountId),
  data: text(JSON.stringify(event.data)),
  expires: number(created + EVENT_SECONDS),
});

export const decodeEvent = (item: Item): PublishedEvent => ({
  id: readText(item, 'event_id'),
  type: readText(item, 'type'),
  accountId: readText(item, 'account_id'),
  data: JSON.parse(readText(item, 'data')) as Record<string, unknown>,
});
