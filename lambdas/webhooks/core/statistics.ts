/** The results of a subscription's latest deliveries. */
import * as z from 'zod';
import type { Body } from '../../platform/core/api/response-schema.ts';
import { attemptEntry, attemptSchema, type Delivery, type DeliveryAttempt } from './delivery.ts';

/** The latest deliveries that are counted; enough to show a trend, few enough to read at once. */
export const STATISTICS_WINDOW = 100;

/** Shares are rounded to four places. */
const ROUNDING_FACTOR = 1e4;

export const deliveryStatisticsSchema = z
  .object({
    deliveries: z.int(),
    delivered: z.int(),
    dead: z.int(),
    pending: z.int(),
    success_rate: z
      .number()
      .nullable()
      .describe('Delivered among those that ended; `null` before the first.'),
    p95_ms: z.number().nullable().describe('Of the attempts that delivered; `null` before the first.'),
    last_failure: attemptSchema.nullable(),
  })
  .describe(`Of the latest ${STATISTICS_WINDOW} deliveries.`);

/** Over the deliveries given; rates and percentiles are null when no delivery counts towards them. */
export function deliveryStatistics(deliveries: readonly Delivery[]): Body<typeof deliveryStatisticsSchema> {
  const count = (status: Delivery['status']) => deliveries.filter((one) => one.status === status).length;
  const [delivered, dead, pending] = [count('delivered'), count('dead'), count('pending')];
  const attempts = deliveries.flatMap(({ log }) => log);
  const durations = attempts
    .filter(({ outcome }) => outcome === 'delivered')
    .map(({ durationMs }) => durationMs)
    .sort((a, b) => a - b);
  const last = attempts
    .filter(({ outcome }) => outcome !== 'delivered')
    .reduce<DeliveryAttempt | undefined>(
      (latest, one) => (latest === undefined || one.atMs > latest.atMs ? one : latest),
      undefined,
    );
  return {
    deliveries: deliveries.length,
    delivered,
    dead,
    pending,
    success_rate:
      delivered + dead === 0
        ? null
        : Math.round((delivered / (delivered + dead)) * ROUNDING_FACTOR) / ROUNDING_FACTOR,
    p95_ms: durations[Math.ceil(durations.length * 0.95) - 1] ?? null,
    last_failure: last === undefined ? null : attemptEntry(last),
  };
}
