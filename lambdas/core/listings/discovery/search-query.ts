/** The query of `GET /search`. */
import * as z from 'zod';
import { category } from '../fields.ts';
import { kindParameter, limitParameter } from '../paging.ts';

/** A sentence; the cost of a search grows with its words. */
const MAX_QUERY = 200;

/** Nobody turns more pages; further results would only be counted. */
export const MAX_DEPTH = 1000;

export const searchQuery = z.object({
  q: z.string().trim().max(MAX_QUERY).default('').describe('Words to look for; all listings when empty.'),
  kind: kindParameter.optional(),
  category: category.optional(),
  limit: limitParameter,
  cursor: z
    .string()
    .max(20)
    .transform((value) => Number(Buffer.from(value, 'base64url').toString('utf8')))
    .refine(
      (offset) => Number.isInteger(offset) && offset > 0 && offset < MAX_DEPTH,
      'must be the next_cursor of an earlier page',
    )
    .optional(),
});
