/** Listings on DynamoDB, from the tables that the environment names. */
import { requireTable, type TableName } from '../../contract/tables.ts';
import type { ActionDependencies } from '../../core/listings/actions.ts';
import { Listings } from '../../core/listings/listings.ts';
import type {
  InstallStore,
  ListingStore,
  PurchaseStore,
  ReleaseStore,
  ReviewStore,
} from '../../core/listings/ports.ts';
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

const table = ({ environment }: ListingsOptions, name: TableName): string => requireTable(environment, name);

const system = { clock: systemClock, ulid: systemUlid };

export const createListingStore = (options: ListingsOptions): ListingStore =>
  new DynamoListingStore(options.clients.client, table(options, 'listings'));

export const createListings = (options: ListingsOptions): Listings =>
  new Listings({ store: createListingStore(options), ...system });

const actions = <Store>(options: ListingsOptions, store: Store): ActionDependencies<Store> => ({
  store,
  listings: createListings(options),
  ...system,
});

export const createInstalls = (options: ListingsOptions): ActionDependencies<InstallStore> => {
  const tables = { listings: table(options, 'listings'), discovery: table(options, 'discovery') };
  return actions(options, new DynamoInstallStore(options.clients.client, tables));
};

export const createReviewStore = (options: ListingsOptions): DynamoReviewStore =>
  new DynamoReviewStore(options.clients.client, table(options, 'listings'));

export const createReviews = (options: ListingsOptions): ActionDependencies<ReviewStore> =>
  actions(options, createReviewStore(options));

export const createReleaseStore = (options: ListingsOptions): DynamoReleaseStore =>
  new DynamoReleaseStore(options.clients.client, table(options, 'listings'), () =>
    Math.floor(systemClock() / 1000),
  );

export const createReleases = (options: ListingsOptions): ActionDependencies<ReleaseStore> =>
  actions(options, createReleaseStore(options));

export function createPurchases(options: ListingsOptions): ActionDependencies<PurchaseStore> {
  const tables = {
    listings: table(options, 'listings'),
    accounts: table(options, 'accounts'),
    wallets: table(options, 'wallets'),
  };
  return actions(options, new DynamoPurchaseStore(options.clients, tables));
}

export const createTrendingStore = (options: ListingsOptions): DynamoTrendingStore =>
  new DynamoTrendingStore(options.clients.client, table(options, 'discovery'));
