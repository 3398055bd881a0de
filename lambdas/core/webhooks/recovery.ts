/** Bringing back what was given up: by the owner, one or all of a time. */
import * as z from 'zod';
import type { Body } from '../api/response-schema.ts';
import type { Clock } from '../ports.ts';
import { type Delivery, firstIdAt } from './delivery.ts';
import { wakeOf } from './fan-out.ts';
import type { DeliveryStore, Wake, WakeQueue } from './ports.ts';

/** A page of deliveries; each may hold 20 KB of attempts, and a page must fit one answer of the database (1 MB). */
const PAGE = 50;

/** One call brings back so many at most, in order to end within its time. */
export const MAX_RECOVERED = 1_000;

/**
 * A pending delivery that is so long overdue has lost its wake: longer than a schedule's precision, a queue's
 * visibility and five readings of a message together.
 */
const LOST_MS = 30 * 60_000;

export interface RecoverDependencies {
  readonly deliveries: Pick<DeliveryStore, 'list'>;
  readonly wakes: Pick<WakeQueue, 'now'>;
  readonly clock: Clock;
}

export interface Recovered {
  readonly count: number;
  /** When the first event that was not looked at arrived, milliseconds since the epoch; undefined when all were. */
  readonly nextMs: number | undefined;
}

/** Wakes every dead delivery of events that arrived since then. Safe to repeat: a second wake of an attempt is void. */
export async function recover(
  { deliveries, wakes, clock }: RecoverDependencies,
  webhookId: string,
  sinceMs: number,
): Promise<Recovered> {
  const nowMs = clock();
  let count = 0;
  let after: string | undefined = firstIdAt(sinceMs);
  while (after !== undefined) {
    const page = await deliveries.list({ webhookId, limit: PAGE, order: 'oldest', after });
    const lost = page.deliveries
      .filter((delivery) => isLost(delivery, nowMs))
      .map((one): Wake => wakeOf(one));
    await wakes.now(lost, 'retries');
    count += lost.length;
    after = page.next;
    if (count >= MAX_RECOVERED && after !== undefined)
      return { count, nextMs: page.deliveries.at(-1)?.createdMs };
  }
  return { count, nextMs: undefined };
}

const isLost = ({ status, dueMs }: Delivery, nowMs: number): boolean =>
  status === 'dead' || (status === 'pending' && dueMs + LOST_MS < nowMs);

export const recoverySchema = z.object({
  object: z.literal('webhook_recovery'),
  webhook_id: z.string(),
  recovered: z.int(),
  next_since: z.iso
    .datetime()
    .nullable()
    .describe('Continue from there; `null` when every event was covered.'),
});

/** What a recovery answers with. */
export const recoveryBody = (
  webhookId: string,
  { count, nextMs }: Recovered,
): Body<typeof recoverySchema> => ({
  object: 'webhook_recovery',
  webhook_id: webhookId,
  recovered: count,
  next_since: nextMs === undefined ? null : new Date(nextMs).toISOString(),
});
