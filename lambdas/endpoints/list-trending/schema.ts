/** The query of `GET /trending`. */
import * as z from 'zod';
import { kindParameter, limitParameter } from '../../core/listings/paging.ts';
import { windowParameter } from '../../core/listings/trending.ts';

export const trendingQuery = z.object({
  kind: kindParameter.optional(),
  window: windowParameter,
  limit: limitParameter,
});
