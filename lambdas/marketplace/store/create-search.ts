/** Search on DynamoDB, from the tables that the environment names. */
import { requireTable } from '../../platform/contract/tables.ts';
import type { Log } from '../../platform/core/ports.ts';
import { systemClock, systemUlid } from '../../platform/system/system.ts';
import { createSearchSource, type SearchSource } from '../core/discovery/search-source.ts';
import type { ListingsOptions } from './create-listings.ts';
import { DynamoSearchStore } from './discovery/search-store.ts';

export const createSearchStore = ({ clients, environment }: ListingsOptions): DynamoSearchStore =>
  new DynamoSearchStore(clients.client, requireTable(environment, 'discovery'), systemUlid);

export const createSearch = (options: ListingsOptions & { readonly log: Log }): SearchSource =>
  createSearchSource({ store: createSearchStore(options), clock: systemClock, log: options.log });
