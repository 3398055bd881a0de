/** The changes of the listings table as its stream brings them (DynamoDB Streams API reference, StreamRecord). */

import type { Item } from '../../platform/dynamodb/attribute-values.ts';
import type { ListingRecord } from '../core/follow.ts';
import { decodeEvent, decodeListing, EVENT_PREFIX, LISTING_ITEM } from './listing-item.ts';

/** One record, of what Lambda passes on. */
export interface StreamRecord {
  /** `INSERT`, `MODIFY` or `REMOVE`. */
  readonly eventName: string;
  readonly dynamodb: {
    readonly Keys: unknown;
    readonly NewImage?: unknown;
    readonly OldImage?: unknown;
  };
}

const INSTALL_PREFIX = 'install#';

export function decodeListingRecord({ eventName, dynamodb }: StreamRecord): ListingRecord {
  const keys = dynamodb.Keys as Item;
  const item = keys.item?.S ?? '';
  const [after, before] = [dynamodb.NewImage, dynamodb.OldImage] as readonly (Item | undefined)[];
  if (item === LISTING_ITEM) {
    return {
      type: 'listing',
      id: keys.listing_id?.S ?? '',
      before: before === undefined ? undefined : decodeListing(before),
      after: after === undefined ? undefined : decodeListing(after),
    };
  }
  if (eventName !== 'INSERT' || after === undefined) return { type: 'other' };
  if (item.startsWith(EVENT_PREFIX)) return { type: 'event', event: decodeEvent(after) };
  return { type: item.startsWith(INSTALL_PREFIX) ? 'install' : 'other' };
}
