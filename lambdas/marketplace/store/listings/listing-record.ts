/** The changes of the listings table as its stream brings them (DynamoDB Streams API reference, StreamRecord). */
import * as z from 'zod';
import type { Item } from '../../../platform/dynamodb/attribute-values.ts';
import type { ListingRecord } from '../../core/listings/follow.ts';
import { decodeEvent, decodeListing, EVENT_PREFIX, LISTING_ITEM } from './listing-item.ts';

const item = z.record(z.string(), z.unknown());

const streamRecord = z.object({
  /** `INSERT`, `MODIFY` or `REMOVE`. */
  eventName: z.string(),
  dynamodb: z.object({ Keys: item, NewImage: item.optional(), OldImage: item.optional() }),
});

/** A batch of a table's stream (AWS Lambda developer guide, using AWS Lambda with DynamoDB). */
const streamBatch = z.object({ Records: z.array(streamRecord) });

const INSTALL_PREFIX = 'install#';

/** Throws for an event that is no batch of a stream. */
export const decodeListingRecords = (input: unknown): readonly ListingRecord[] =>
  streamBatch.parse(input).Records.map(decodeListingRecord);

function decodeListingRecord({ eventName, dynamodb }: z.output<typeof streamRecord>): ListingRecord {
  const keys = dynamodb.Keys as Item;
  const name = keys.item?.S ?? '';
  const [after, before] = [dynamodb.NewImage, dynamodb.OldImage] as readonly (Item | undefined)[];
  if (name === LISTING_ITEM) {
    return {
      type: 'listing',
      id: keys.listing_id?.S ?? '',
      before: before === undefined ? undefined : decodeListing(before),
      after: after === undefined ? undefined : decodeListing(after),
    };
  }
  if (eventName !== 'INSERT' || after === undefined) return { type: 'other' };
  if (name.startsWith(EVENT_PREFIX)) return { type: 'event', event: decodeEvent(after) };
  return { type: name.startsWith(INSTALL_PREFIX) ? 'install' : 'other' };
}
