/** The queries of usage records: those of a key, and those of an account. */
import * as z from 'zod';
import { ulidPageQuery } from '../../../platform/core/api/paging.ts';
import { timeParameter } from '../../../platform/core/api/time-parameter.ts';
import { KINDS } from '../../../platform/core/kinds.ts';
import { CALL_STATUSES } from '../usage-record.ts';
import { CSV_FORMATS } from './csv.ts';

const time = timeParameter.optional();

/** Longer than any model's id. */
const name = z.string().min(1).max(300);

/** The query of `GET /v1/usage`. */
export const usageQuery = ulidPageQuery('req').extend({
  start: time,
  end: time,
  api_key: name.optional().describe('Only calls of the API key with this id.'),
  model: name.optional().describe('Only calls of the model with this id.'),
  kind: z.enum(KINDS).optional().describe('Only calls of this kind.'),
  status: z.enum(CALL_STATUSES).optional().describe('Only calls that ended so.'),
});

export type UsageListQuery = z.output<typeof usageQuery>;

/** The query of `GET /api/v1/usage`. */
export const accountUsageQuery = usageQuery.extend({
  format: z.enum(CSV_FORMATS).optional().describe('`csv`: all calls that match, on one page.'),
});
