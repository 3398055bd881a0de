/** The query of `GET /search`. */
import * as z from 'zod';
import { cursor, limit } from '../../../platform/core/api/paging.ts';
import { idOf } from '../../../platform/core/api/response-schema.ts';
import { category } from '../listings/fields.ts';
import { listingKind } from '../listings/listing.ts';

/** A sentence; the cost of a search grows with its words. */
const MAX_QUERY = 200;

/** Results beyond this are not returned; a cursor has at most 3 digits. */
export const MAX_DEPTH = 1000;

export const searchQuery = z.object({
  q: z.string().trim().max(MAX_QUERY).default('').describe('Search terms; empty for all listings.'),
  kind: listingKind.optional(),
  category: category.optional(),
  owner_id: idOf('acc').optional().describe('The listings of one account.'),
  limit,
  /** The number of results on the previous pages. */
  cursor: cursor(/^[1-9]\d{0,2}$/)
    .transform(Number)
    .optional(),
});
