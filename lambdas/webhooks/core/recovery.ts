/** Restarting dead deliveries at the owner's request. */
import * as z from 'zod';
import type { Body } from '../../platform/core/api/response-schema.ts';
import type { Clock } from '../../platform/core/ports.ts';
import { type Delivery, firstIdAt } from './delivery.ts';
import { triggerOf } from './fan-out.ts';
import type { AttemptTrigger, DeliveryStore, TriggerQueue } from './ports.ts';

/**
 * The number of deliveries per page. Each may contain 20 KB of attempts, and a page must fit one response of the
 * database (1 MB).
 */
const PAGE = 50;

/** Deliveries that one call restarts at most, so that it ends in time. */
export const MAX_RECOVERED = 1_000;

/**
 * A pending delivery that is overdue by this has lost its trigger: longer than a schedule's precision, a queue's
 * visibility timeout and five readings of a message together.
 */
const LOST_MS = 30 * 60_000;

export interface RecoverDependencies {
  readonly deliveries: Pick<DeliveryStore, 'list'>;
  readonly triggers: Pick<TriggerQueue, 'enqueue'>;
  readonly clock: Clock;
}

export interface RecoveryResult {
  readonly count: number;
  /** Arrival of the first event that was not covered, milliseconds since the epoch; undefined when all were. */
  readonly nextMs: number | undefined;
}

/** Triggers every dead delivery of events that arrived since then. Safe to repeat: a second trigger has no effect. */
export async function recover(
  { deliveries, triggers, clock }: RecoverDependencies,
  webhookId: string,
  sinceMs: number,
): Promise<RecoveryResult> {
  const nowMs = clock();
  let count = 0;
  let after: string | undefined = firstIdAt(sinceMs);
  while (after !== undefined) {
    const page = await deliveries.list({ webhookId, limit: PAGE, order: 'oldest', after });
    const lostTriggers = page.entries
      .filter((delivery) => isLost(delivery, nowMs))
      .map((one): AttemptTrigger => triggerOf(one));
    await triggers.enqueue(lostTriggers, 'retries');
    count += lostTriggers.length;
    after = page.next;
    if (count >= MAX_RECOVERED && after !== undefined)
      return { count, nextMs: page.entries.at(-1)?.createdMs };
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

/** Returns the response of a recovery. */
export const recoveryBody = (
  webhookId: string,
  { count, nextMs }: RecoveryResult,
): Body<typeof recoverySchema> => ({
  object: 'webhook_recovery',
  webhook_id: webhookId,
  recovered: count,
  next_since: nextMs === undefined ? null : new Date(nextMs).toISOString(),
});
