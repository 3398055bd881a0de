/** Listings on DynamoDB, from the tables that the environment names. */

import type { DynamoClients } from '../../platform/aws/clients.ts';
import { requireTable } from '../../platform/contract/tables.ts';
import { readItem } from '../../platform/dynamodb/reads.ts';
import { systemClock, systemUlid } from '../../platform/system/system.ts';
import { Listings } from '../core/listings/listings.ts';
import { DynamoTrendingStore } from './discovery/trending-store.ts';
import { listingKey } from './listings/listing-item.ts';
import { DynamoListingStore } from './listings/listing-store.ts';

export interface ListingsOptions {
  readonly clients: Pick<DynamoClients, 'client'>;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export const createListingStore = ({ clients, environment }: ListingsOptions) =>
  new DynamoListingStore(clients.client, requireTable(environment, 'listings'));

/** Returns a function that reads whether there is a listing with an id. */
export const createListingCheck = ({ clients, environment }: ListingsOptions) => {
  const TableName = requireTable(environment, 'listings');
  return async (id: string): Promise<boolean> =>
    (await readItem(clients.client, { TableName, Key: listingKey(id) })) !== undefined;
};

export const createListings = (options: ListingsOptions): Listings =>
  new Listings({ store: createListingStore(options), clock: systemClock, ulid: systemUlid });

export const createTrendingStore = ({ clients, environment }: ListingsOptions) =>
  new DynamoTrendingStore(clients.client, requireTable(environment, 'discovery'));
