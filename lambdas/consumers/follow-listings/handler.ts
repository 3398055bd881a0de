/** Wires the follower of the listings table for Lambda. */
import { createDynamoClients, createEventClient } from '../../adapters/aws/clients.ts';
import { createTrendingStore } from '../../adapters/listings/create-listings.ts';
import { createSearchStore } from '../../adapters/listings/create-search.ts';
import { purgeListing } from '../../adapters/listings/listing-cleanup.ts';
import { decodeListingRecord } from '../../adapters/listings/listing-record.ts';
import { systemClock } from '../../adapters/system/system.ts';
import { createPublisher } from '../../adapters/webhooks/event-publisher.ts';
import { requireVariable, VARIABLES } from '../../contract/environment.ts';
import { TABLES } from '../../contract/tables.ts';
import { updateRankings } from '../../core/listings/discovery/trending.ts';
import { consumer } from '../../edge/pipelines.ts';
import { followListings } from './consumer.ts';

const environment = process.env;
const clients = createDynamoClients();
const listings = requireVariable(environment, TABLES.listings.variable);
const rankings = createTrendingStore({ clients, environment });
const search = createSearchStore({ clients, environment });

export const handler = consumer(
  followListings({
    decode: decodeListingRecord,
    publish: createPublisher(createEventClient(), requireVariable(environment, VARIABLES.eventBus)),
    recordChanges: (changes) => search.recordChanges(changes),
    refreshRankings: () => updateRankings(rankings, systemClock()),
    purge: (listingId) => purgeListing(clients.client, listings, listingId),
  }),
);
