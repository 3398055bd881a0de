/** The calls of all accounts in a span, for an operator: what they were sold for, what they cost, and how they ended. */
import * as z from 'zod';
import { cursor } from '../../../platform/core/api/paging.ts';
import { type Body, usd } from '../../../platform/core/api/response-schema.ts';
import { timeParameter } from '../../../platform/core/api/time-parameter.ts';
import { type NanoUsd, usdJson } from '../../../platform/core/money.ts';
import type { UsageRecord } from '../usage-record.ts';

export const salesQuery = z.object({
  start: timeParameter.optional().describe('Calls that began then or later; the present UTC day by default.'),
  end: timeParameter.optional().describe('Calls that began before this time; the present by default.'),
  cursor: cursor(/^key_[0-9A-Z]{26}( req_[0-9A-Z]{26})?$/).optional(),
});

export const salesSchema = z.object({
  object: z.literal('sales'),
  calls: z.int(),
  failed: z.int().describe('Calls that did not complete: failed, interrupted or expired.'),
  sold: usd,
  provider_cost: usd.describe('Of the calls whose route has a cost in the catalog.'),
  sold_at_known_cost: usd.describe('What these calls were sold for.'),
  next_cursor: z.string().nullable().describe('The rest of the span: the pages are added up. `null`: none.'),
});

/** Returns the totals of the records of one page. */
export function salesBody(
  records: readonly UsageRecord[],
  next: string | undefined,
): Body<typeof salesSchema> {
  const sum = (part: (record: UsageRecord) => NanoUsd) =>
    usdJson(records.reduce((total, record) => total + part(record), 0n));
  return {
    object: 'sales',
    calls: records.length,
    failed: records.filter(({ status }) => status !== 'completed').length,
    sold: sum(({ cost }) => cost),
    provider_cost: sum(({ providerCost = 0n }) => providerCost),
    sold_at_known_cost: sum(({ providerCost, cost }) => (providerCost === undefined ? 0n : cost)),
    next_cursor: next === undefined ? null : Buffer.from(next, 'utf8').toString('base64url'),
  };
}
