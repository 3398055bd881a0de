/** Wires the follower of the listings table for Lambda. */
import { createEventClient } from '../../adapters/aws/clients.ts';
import { createTrendingStore } from '../../adapters/listings/create-listings.ts';
import { createSearchStore } from '../../adapters/listings/create-search.ts';
import { purgeListing } from '../../adapters/listings/listing-history.ts';
import { decodeListingRecord } from '../../adapters/listings/listing-record.ts';
import { createPublisher } from '../../adapters/webhooks/event-publisher.ts';
import { requireVariable, VARIABLES } from '../../contract/environment.ts';
import { requireTable } from '../../contract/tables.ts';
import { updateRankings } from '../../core/listings/discovery/trending.ts';
import { consumerHandler } from '../../hosts/consumer-handler.ts';
import { followListings } from './consumer.ts';

export const handler = consumerHandler((resources) => {
  const { environment, clients, clock } = resources;
  const table = requireTable(environment, 'listings');
  const rankings = createTrendingStore(resources);
  const search = createSearchStore(resources);
  return followListings({
    decode: decodeListingRecord,
    publish: createPublisher(createEventClient(), requireVariable(environment, VARIABLES.eventBus)),
    recordChanges: (changes) => search.recordChanges(changes),
    refreshRankings: () => updateRankings(rankings, clock()),
    purge: (listingId) => purgeListing(clients.client, table, listingId),
  });
});
