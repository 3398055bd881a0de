/** The listings that an account has installed or bought. */
import * as z from 'zod';
import { ulidPageQuery } from '../../../platform/core/api/paging.ts';
import { type Body, idOf, seconds } from '../../../platform/core/api/response-schema.ts';
import { type Listing, listingSchema } from '../listings/listing.ts';

export interface Acquisition {
  readonly listingId: string;
  /** Seconds since the epoch; undefined for what was bought and not installed. */
  readonly installed: number | undefined;
  readonly purchased: number | undefined;
  /** Undefined once its owner has taken it off the market. */
  readonly listing: Listing | undefined;
}

export const acquisitionsQuery = ulidPageQuery('lst');

export const acquisitionSchema = z.object({
  object: z.literal('acquisition'),
  listing_id: idOf('lst'),
  installed: seconds.nullable().describe('Seconds since the epoch; `null` where it was only bought.'),
  purchased: seconds.nullable().describe('Seconds since the epoch; `null` where it was not bought.'),
  listing: listingSchema
    .pick({ kind: true, name: true, summary: true, version: true, url: true })
    .nullable()
    .describe('As it is now; `null` once its owner has taken it off the market.'),
});

export function acquisitionEntry(acquisition: Acquisition): Body<typeof acquisitionSchema> {
  const { listingId, installed = null, purchased = null, listing } = acquisition;
  return {
    object: 'acquisition',
    listing_id: listingId,
    installed,
    purchased,
    listing: listing === undefined ? null : summaryOf(listing),
  };
}

const summaryOf = ({ kind, name, summary, version, url }: Listing) => ({ kind, name, summary, version, url });
