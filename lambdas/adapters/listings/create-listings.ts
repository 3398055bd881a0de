/** Listings on DynamoDB, from the tables that the environment names. */
import { requireVariable } from '../../contract/environment.ts';
import { TABLES, type TableName } from '../../contract/tables.ts';
import { Installs } from '../../core/listings/installs.ts';
import { Listings } from '../../core/listings/listings.ts';
import type { ListingStore } from '../../core/listings/ports.ts';
import { Purchases } from '../../core/listings/purchases.ts';
import { Releases } from '../../core/listings/releases.ts';
import { Reviews } from '../../core/listings/reviews.ts';
import type { DynamoClients } from '../aws/clients.ts';
import { systemClock, systemUlid } from '../system/system.ts';
import { DynamoInstallStore } from './install-store.ts';
import { DynamoListingStore } from './listing-store.ts';
import { DynamoPurchaseStore } from './purchase-store.ts';
import { DynamoReleaseStore } from './release-store.ts';
import { DynamoReviewStore } from './review-store.ts';
import { DynamoTrendingStore } from './trending-store.ts';

export interface ListingsOptions {
  readonly clients: DynamoClients;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

const table = ({ environment }: ListingsOptions, name: TableName): string =>
  requireVariable(environment, TABLES[name].variable);

const system = { clock: systemClock, ulid: systemUlid };

export const createListingStore = (options: ListingsOptions): ListingStore =>
  new DynamoListingStore(options.clients.client, table(options, 'listings'));

export const createListings = (options: ListingsOptions): Listings =>
  new Listings({ store: createListingStore(options), ...system });

const activity = (options: ListingsOptions) => ({ listings: createListings(options), ...system });

export const createInstalls = (options: ListingsOptions): Installs => {
  const tables = { listings: table(options, 'listings'), discovery: table(options, 'discovery') };
  return new Installs(new DynamoInstallStore(options.clients.client, tables), activity(options));
};

export const createReviewStore = (options: ListingsOptions): DynamoReviewStore =>
  new DynamoReviewStore(options.clients.client, table(options, 'listings'));

export const createReviews = (options: ListingsOptions): Reviews =>
  new Reviews(createReviewStore(options), activity(options));

export const createReleaseStore = (options: ListingsOptions): DynamoReleaseStore =>
  new DynamoReleaseStore(options.clients.client, table(options, 'listings'), () =>
    Math.floor(systemClock() / 1000),
  );

export const createReleases = (options: ListingsOptions): Releases =>
  new Releases(createReleaseStore(options), activity(options));

export function createPurchases(options: ListingsOptions): Purchases {
  const tables = {
    listings: table(options, 'listings'),
    accounts: table(options, 'accounts'),
    wallets: table(options, 'wallets'),
  };
  return new Purchases(new DynamoPurchaseStore(options.clients, tables), activity(options));
}

export const createTrendingStore = (options: ListingsOptions): DynamoTrendingStore =>
  new DynamoTrendingStore(options.clients.client, table(options, 'discovery'));
