/** The query of `GET /categories`. */
import { limitParameter, pageQuery } from './paging.ts';

/** A deployment has some dozens of categories: one page shows them all, unless less is asked for. */
const DEFAULT_LIMIT = '100';

export const categoriesQuery = pageQuery.extend({ limit: limitParameter.prefault(DEFAULT_LIMIT) });
