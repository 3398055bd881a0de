/** Handles every change of the listings table, in the order of the changes of each listing. */
import { createEventPublisher } from '../../../platform/aws/event-publisher.ts';
import { requireTable } from '../../../platform/contract/tables.ts';
import { consumerHandler } from '../../../platform/handlers/consumer-handler.ts';
import { updateRankings } from '../../core/discovery/trending.ts';
import { type FollowDependencies, follow } from '../../core/listings/follow.ts';
import { createTrendingStore } from '../../store/create-listings.ts';
import { purgeListing } from '../../store/listings/listing-history.ts';
import { decodeListingRecords } from '../../store/listings/listing-record.ts';

export const handler = consumerHandler((resources) => {
  const { environment, clients, clock } = resources;
  const table = requireTable(environment, 'listings');
  const rankings = createTrendingStore(resources);
  const effects: FollowDependencies = {
    publish: createEventPublisher(clients.client, environment),
    refreshRankings: () => updateRankings(rankings, clock()),
    purge: (listingId) => purgeListing(clients.client, table, listingId),
  };
  return (input: unknown) => follow(decodeListingRecords(input), effects);
});
