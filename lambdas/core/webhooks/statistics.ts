/** How a subscription's deliveries have fared of late. */
import { type Attempt, attemptEntry, type Delivery } from './delivery.ts';

/** The latest deliveries that are looked at; enough to tell a trend, few enough to read at once. */
export const STATISTICS_WINDOW = 100;

/** Shares are rounded to four places. */
const PLACES = 1e4;

/** Over the deliveries given; rates and percentiles are null when there is nothing to take them of. */
export function deliveryStatistics(deliveries: readonly Delivery[]): Record<string, unknown> {
  const count = (status: Delivery['status']) => deliveries.filter((one) => one.status === status).length;
  const [delivered, dead, pending] = [count('delivered'), count('dead'), count('pending')];
  const attempts = deliveries.flatMap(({ log }) => log);
  const durations = attempts
    .filter(({ outcome }) => outcome === 'delivered')
    .map(({ durationMs }) => durationMs)
    .sort((a, b) => a - b);
  const last = attempts
    .filter(({ outcome }) => outcome !== 'delivered')
    .reduce<Attempt | undefined>(
      (found, one) => (found === undefined || one.atMs > found.atMs ? one : found),
      undefined,
    );
  return {
    deliveries: deliveries.length,
    delivered,
    dead,
    pending,
    success_rate:
      delivered + dead === 0 ? null : Math.round((delivered / (delivered + dead)) * PLACES) / PLACES,
    p95_ms: durations[Math.ceil(durations.length * 0.95) - 1] ?? null,
    last_failure: last === undefined ? null : attemptEntry(last),
  };
}
