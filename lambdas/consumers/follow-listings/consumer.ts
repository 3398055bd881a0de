/** Handles every change of the listings table, in the order of the changes of each listing. */
import { type FollowDependencies, follow, type ListingRecord } from '../../core/listings/follow.ts';
import { type StreamBatchRecord, streamBatch } from './schema.ts';

export interface FollowListingsDependencies extends FollowDependencies {
  readonly decode: (record: StreamBatchRecord) => ListingRecord;
}

export function followListings({ decode, ...dependencies }: FollowListingsDependencies) {
  return async (input: unknown): Promise<void> => {
    await follow(streamBatch.parse(input).Records.map(decode), dependencies);
  };
}
