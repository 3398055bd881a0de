/** The query of `GET /trending`. */
import * as z from 'zod';
import { kindParameter, limitParameter } from '../paging.ts';
import { windowParameter } from './trending.ts';

export const trendingQuery = z.object({
  kind: kindParameter.optional(),
  window: windowParameter,
  limit: limitParameter,
});
