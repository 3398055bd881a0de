/** Listings and what belongs to them as items of one table: a listing and its history share a partition. */
import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { TABLES } from '../../../platform/contract/tables.ts';
import {
  type Item,
  map,
  number,
  readMap,
  readNumber,
  readText,
  text,
} from '../../../platform/dynamodb/attribute-values.ts';
import { countsOf } from '../../../platform/dynamodb/quota-item.ts';
import type { PublishedEvent } from '../../../webhooks/core/event.ts';
import { INTERVALS, type Interval } from '../../core/listings/fields.ts';
import {
  LISTING_KINDS,
  type Listing,
  type ListingKind,
  type ListingPlan,
  type Price,
} from '../../core/listings/listing.ts';

/** The retention of published events, for the investigation of a failed delivery. */
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

/**
 * Returns the fields that the owner sets, by attribute. `undefined` means that the item does not have the attribute.
 */
export function ownedAttributes(listing: Listing): Record<string, Item[string] | undefined> {
  const { name, slug, summary, description, category, tags, version, price, plans } = listing;
  const { url, iconUrl, seller, contact } = listing;
  return {
    [BY_KIND_CATEGORY.partitionKey]: text(kindCategoryOf(listing.kind, category)),
    name: text(name),
    slug: text(slug),
    summary: text(summary),
    description: text(description),
    category: text(category),
    tags: { L: tags.map(text) },
    version: text(version),
    price: price === null ? undefined : encodePrice(price),
    plans: plans.length === 0 ? undefined : map(encodePlans(plans)),
    url: url === null ? undefined : text(url),
    icon_url: iconUrl === null ? undefined : text(iconUrl),
    seller: seller === null ? undefined : text(seller),
    contact: contact === null ? undefined : text(contact),
    updated: number(listing.updated),
    revision: number(listing.revision),
  };
}

export const encodePrice = ({ amount, currency }: Price) =>
  map({ minor_units: number(amount), currency: text(currency) });

/** The plans by id, so that a transaction can test one of them. */
const encodePlans = (plans: readonly ListingPlan[]): Item =>
  Object.fromEntries(plans.map((plan, position) => [plan.id, encodePlan(plan, position)]));

export const encodePlan = (
  { name, interval, amount, currency, trial_days: days }: ListingPlan,
  position: number,
) =>
  map({
    position: number(position),
    name: text(name),
    interval: text(interval),
    minor_units: number(amount),
    currency: text(currency),
    trial_days: number(days),
  });

export function encodeListing(listing: Listing): Item {
  const item: Item = {
    ...listingKey(listing.id),
    kind: text(listing.kind),
    owner_id: text(listing.ownerId),
    installs: number(listing.installs),
    releases: number(listing.releases),
    rating_sum: number(listing.ratings.sum),
    rating_count: number(listing.ratings.count),
    created: number(listing.created),
  };
  for (const [name, value] of Object.entries(ownedAttributes(listing)))
    if (value !== undefined) item[name] = value;
  return item;
}

export function decodeListing(item: Item): Listing {
  return {
    id: readText(item, 'listing_id'),
    kind: readKind(readText(item, 'kind')),
    name: readText(item, 'name'),
    slug: readText(item, 'slug'),
    summary: readText(item, 'summary'),
    description: readText(item, 'description'),
    category: readText(item, 'category'),
    tags: (item.tags?.L ?? []).flatMap(({ S: tag }) => tag ?? []),
    version: readText(item, 'version'),
    price: item.price === undefined ? null : decodePrice(readMap(item, 'price')),
    plans: item.plans === undefined ? [] : decodePlans(readMap(item, 'plans')),
    url: item.url?.S ?? null,
    iconUrl: item.icon_url?.S ?? null,
    seller: item.seller?.S ?? null,
    contact: item.contact?.S ?? null,
    ownerId: readText(item, 'owner_id'),
    installs: readNumber(item, 'installs'),
    releases: item.releases === undefined ? 0 : readNumber(item, 'releases'),
    ratings: { sum: readNumber(item, 'rating_sum'), count: readNumber(item, 'rating_count') },
    created: readNumber(item, 'created'),
    updated: readNumber(item, 'updated'),
    revision: readNumber(item, 'revision'),
  };
}

const decodePrice = (value: Item): Price => ({
  amount: readNumber(value, 'minor_units'),
  currency: readText(value, 'currency'),
});

const decodePlans = (plans: Item): readonly ListingPlan[] =>
  Object.keys(plans)
    .map((id) => ({ id, value: readMap(plans, id) }))
    .toSorted((a, b) => readNumber(a.value, 'position') - readNumber(b.value, 'position'))
    .map(({ id, value }) => ({
      id,
      name: readText(value, 'name'),
      interval: readInterval(value),
      amount: readNumber(value, 'minor_units'),
      currency: 'USD',
      trial_days: readNumber(value, 'trial_days'),
    }));

export function readInterval(value: Item): Interval {
  const stored = readText(value, 'interval');
  const interval = INTERVALS.find((each) => each === stored);
  if (interval === undefined) throw new Error('not an interval of a plan');
  return interval;
}

export function readKind(value: string): ListingKind {
  const kind = LISTING_KINDS.find((candidate) => candidate === value);
  if (kind === undefined) throw new Error('not a kind of listing');
  return kind;
}

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
