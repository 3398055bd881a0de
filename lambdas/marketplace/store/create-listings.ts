/** Listings on DynamoDB, from the tables that the environment names. */

import type { DynamoClients } from '../../platform/aws/clients.ts';
import { requireTable } from '../../platform/contract/tables.ts';
import { systemClock, systemUlid } from '../../platform/system/system.ts';
import { Listings } from '../core/listings.ts';
import { DynamoListingStore } from './listing-store.ts';
import { DynamoTrendingStore } from './trending-store.ts';

export interface ListingsOptions {
  readonly clients: Pick<DynamoClients, 'client'>;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export const createListingStore = ({ clients, environment }: ListingsOptions) =>
  new DynamoListingStore(clients.client, requireTable(environment, 'listings'));

export const createListings = (options: ListingsOptions): Listings =>
  new Listings({ store: createListingStore(options), clock: systemClock, ulid: systemUlid });

export const createTrendingStore = ({ clients, environment }: ListingsOptions) =>
  new DynamoTrendingStore(clients.client, requireTable(environment, 'discovery'));
