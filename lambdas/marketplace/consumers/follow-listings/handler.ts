/** Handles every change of the listings table, in the order of the changes of each listing. */
import * as z from 'zod';
import { createEventClient } from '../../../platform/aws/clients.ts';
import { requireVariable, VARIABLES } from '../../../platform/contract/environment.ts';
import { requireTable } from '../../../platform/contract/tables.ts';
import { consumerHandler } from '../../../platform/handlers/consumer-handler.ts';
import { createPublisher } from '../../../webhooks/store/event-publisher.ts';
import { updateRankings } from '../../core/discovery/trending.ts';
import { type FollowDependencies, follow } from '../../core/follow.ts';
import { createTrendingStore } from '../../store/create-listings.ts';
import { createSearchStore } from '../../store/create-search.ts';
import { purgeListing } from '../../store/listing-history.ts';
import { decodeListingRecord } from '../../store/listing-record.ts';

/** A batch of a table's stream (AWS Lambda developer guide, using AWS Lambda with DynamoDB). */
const streamBatch = z.object({
  Records: z.array(
    z.object({
      eventName: z.string(),
      dynamodb: z.object({
        Keys: z.record(z.string(), z.unknown()),
        NewImage: z.record(z.string(), z.unknown()).optional(),
        OldImage: z.record(z.string(), z.unknown()).optional(),
      }),
    }),
  ),
});

export const handler = consumerHandler((resources) => {
  const { environment, clients, clock } = resources;
  const table = requireTable(environment, 'listings');
  const rankings = createTrendingStore(resources);
  const search = createSearchStore(resources);
  const effects: FollowDependencies = {
    publish: createPublisher(createEventClient(), requireVariable(environment, VARIABLES.eventBus)),
    recordChanges: (changes) => search.recordChanges(changes),
    refreshRankings: () => updateRankings(rankings, clock()),
    purge: (listingId) => purgeListing(clients.client, table, listingId),
  };
  return (input: unknown) => follow(streamBatch.parse(input).Records.map(decodeListingRecord), effects);
});
