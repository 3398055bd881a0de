/** Handles every change of the listings table, in the order of the changes of each listing. */
import { createEventClient } from '../../../platform/aws/clients.ts';
import { requireVariable, VARIABLES } from '../../../platform/contract/environment.ts';
import { requireTable } from '../../../platform/contract/tables.ts';
import { consumerHandler } from '../../../platform/handlers/consumer-handler.ts';
import { createPublisher } from '../../../webhooks/store/event-publisher.ts';
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
    publish: createPublisher(createEventClient(), requireVariable(environment, VARIABLES.eventBus)),
    refreshRankings: () => updateRankings(rankings, clock()),
    purge: (listingId) => purgeListing(clients.client, table, listingId),
  };
  return (input: unknown) => follow(decodeListingRecords(input), effects);
});
