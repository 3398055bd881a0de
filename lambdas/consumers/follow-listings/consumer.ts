/** Handles every change of the listings table, in the order of the changes of each listing. */
import * as z from 'zod';
import { type FollowDependencies, follow, type ListingRecord } from '../../core/listings/follow.ts';

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

type StreamBatchRecord = z.output<typeof streamBatch>['Records'][number];

export interface FollowListingsDependencies extends FollowDependencies {
  readonly decode: (record: StreamBatchRecord) => ListingRecord;
}

export function followListings({ decode, ...dependencies }: FollowListingsDependencies) {
  return async (input: unknown): Promise<void> => {
    await follow(streamBatch.parse(input).Records.map(decode), dependencies);
  };
}
