/** Usage records in responses: an entry of a list, and a receipt with its line items. */
import * as z from 'zod';
import { type Body, idOf, seconds, usd } from '../../../platform/core/api/response-schema.ts';
import { KINDS } from '../../../platform/core/kinds.ts';
import { usdJson } from '../../../platform/core/money.ts';
import { readTraceparent } from '../../../platform/core/trace-context.ts';
import { CALL_STATUSES, UNITS, type UsageRecord } from '../usage-record.ts';

export const usageRecordSchema = z.object({
  id: idOf('req'),
  created: seconds,
  model: z.string().nullable(),
  kind: z.enum(KINDS),
  input_units: z.number(),
  cached_units: z.number(),
  output_units: z.number(),
  unit: z.enum(UNITS),
  cost: usd,
  estimated: z.boolean(),
  route: z.string().nullable(),
  status: z.enum(CALL_STATUSES),
  trace_id: z
    .string()
    .nullable()
    .describe('The trace of the `traceparent` of the request: 32 hexadecimal digits.'),
});

/** Returns the public entry of a record. */
export function usageEntry(record: UsageRecord): Body<typeof usageRecordSchema> {
  return {
    id: record.id,
    created: record.created,
    model: record.model,
    kind: record.kind,
    input_units: record.inputUnits,
    cached_units: record.cachedUnits,
    output_units: record.outputUnits,
    unit: record.unit,
    cost: usdJson(record.cost),
    estimated: record.estimated,
    route: record.route,
    status: record.status,
    trace_id: readTraceparent(record.traceparent)?.traceId ?? null,
  };
}

export const receiptSchema = usageRecordSchema.extend({
  lines: z.array(z.object({ item: z.string(), quantity: z.number(), price: usd, per: z.int() })),
  waived: usd,
  catalog: z.string().nullable(),
  service_tier: z
    .string()
    .nullable()
    .describe(
      'The tier whose own prices were billed; `null` for the standard one, which a response may call `default`.',
    ),
  region: z
    .string()
    .nullable()
    .describe('The region whose own prices were billed; `null` for the standard ones.'),
  held: usd.nullable().describe('USD, the largest amount that was held for the call.'),
  first_token_ms: z
    .int()
    .nullable()
    .describe('From the admission to the first content of a streamed response.'),
  attempts: z.int().nullable().describe('How many routes were tried.'),
  replayed: seconds
    .nullable()
    .describe(
      'When the response was last replayed to a call with the same `Idempotency-Key`, in seconds since the epoch. A replay is not billed.',
    ),
});

/** A record with the lines of its bill: `price` is in USD for `per` of an item; the lines' sum is rounded up once. */
export function receiptEntry(record: UsageRecord): Body<typeof receiptSchema> {
  return {
    ...usageEntry(record),
    lines: (record.lines ?? []).map(({ item, quantity, price, per }) => ({
      item,
      quantity,
      price: usdJson(price),
      per,
    })),
    waived: usdJson(record.waived ?? 0n),
    catalog: record.catalog ?? null,
    service_tier: record.serviceTier ?? null,
    region: record.region ?? null,
    held: record.heldAmount === undefined ? null : usdJson(record.heldAmount),
    first_token_ms: record.firstTokenMs ?? null,
    attempts: record.attempts ?? null,
    replayed: record.replayed ?? null,
  };
}
