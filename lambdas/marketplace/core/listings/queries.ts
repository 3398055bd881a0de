/** The queries of the lists of listings and of categories, and an entry of the latter. */
import * as z from 'zod';
import { limit, pageQuery } from '../../../platform/core/api/paging.ts';
import type { Body } from '../../../platform/core/api/response-schema.ts';
import { category } from './fields.ts';
import type { CategoryCount } from './ports.ts';

export const listingQuery = pageQuery().extend({ category: category.optional() });

/** A deployment has some dozens of categories: one page shows them all, unless the caller requests fewer. */
const DEFAULT_LIMIT = '100';

export const categoriesQuery = pageQuery().extend({ limit: limit.prefault(DEFAULT_LIMIT) });

export const categorySchema = z.object({
  name: z.string(),
  count: z.int(),
  counts: z.object({ app: z.int(), 'ai-agent': z.int() }),
});

/** A category with how many listings it has, of each kind and of all. */
export const categoryEntry = ({ name, counts }: CategoryCount): Body<typeof categorySchema> => ({
  name,
  count: Object.values(counts).reduce((sum, count) => sum + count, 0),
  counts,
});
