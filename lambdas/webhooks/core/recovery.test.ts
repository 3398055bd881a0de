import { describe, expect, it } from '@jest/globals';
import {
  deliveryWith,
  EVENT,
  MemoryDeliveries,
  MemoryTriggers,
  SUBSCRIPTION,
} from '../testing/memory-deliveries.ts';
import type { Delivery } from './delivery.ts';
import { deliveryId } from './delivery.ts';
import { MAX_RECOVERED, recover, recoveryBody } from './recovery.ts';

const MINUTE_MS = 60_000;
const NOW_MS = EVENT.receivedMs + 10 * 3_600_000;

/** The delivery of an event that arrived that many minutes after noon. */
function arriving(minutes: number, changes: Partial<Delivery> = {}): Delivery {
  const createdMs = EVENT.receivedMs + minutes * MINUTE_MS;
  const event = { ...EVENT, id: `evt_${minutes}`, receivedMs: createdMs };
  return deliveryWith({
    id: deliveryId(event, SUBSCRIPTION.id),
    eventId: event.id,
    createdMs,
    status: 'dead',
    ...changes,
  });
}

/** Recovers all since a number of minutes after noon; the events whose deliveries were triggered, in their order. */
async function recovered(deliveries: readonly Delivery[], sinceMinutes = 0) {
  const triggers = new MemoryTriggers();
  const stores = { deliveries: new MemoryDeliveries(...deliveries), triggers, clock: () => NOW_MS };
  const result = await recover(stores, SUBSCRIPTION.id, EVENT.receivedMs + sinceMinutes * MINUTE_MS);
  return {
    ...result,
    events: triggers.queued.map(({ trigger }) => trigger.eventId),
    queued: triggers.queued,
  };
}

describe('a recovery', () => {
  it('triggers the next attempt of every dead delivery, in the retry lane', async () => {
    const { count, nextMs, queued } = await recovered([arriving(1, { attempts: 7 })]);
    expect([count, nextMs]).toEqual([1, undefined]);
    expect(queued).toEqual([
      {
        to: 'retries',
        trigger: expect.objectContaining({ eventId: 'evt_1', attempt: 8, webhookId: SUBSCRIPTION.id }),
      },
    ]);
  });

  it('excludes successful deliveries and events before its period', async () => {
    const deliveries = [arriving(1), arriving(2), arriving(3, { status: 'delivered' }), arriving(4)];
    expect((await recovered(deliveries, 2)).events).toEqual(['evt_2', 'evt_4']);
  });

  it('triggers a pending delivery from half an hour after its next attempt was due: its trigger is lost', async () => {
    const pending = (minutes: number, overdueMs: number) =>
      arriving(minutes, { status: 'pending', dueMs: NOW_MS - overdueMs });
    const { events } = await recovered([
      pending(1, 30 * MINUTE_MS + 1),
      pending(2, 30 * MINUTE_MS),
      pending(3, 0),
      pending(4, -MINUTE_MS),
    ]);
    expect(events).toEqual(['evt_1']);
  });

  it('covers every page, and after a thousand deliveries returns the position to continue from', async () => {
    const many = Array.from({ length: MAX_RECOVERED + 60 }, (_, minutes) => arriving(minutes));
    const first = await recovered(many);
    expect(first.count).toBe(MAX_RECOVERED);
    expect(first.nextMs).toBe(EVENT.receivedMs + (MAX_RECOVERED - 1) * MINUTE_MS);
    const next = await recovered(many, MAX_RECOVERED - 1);
    expect([next.count, next.nextMs]).toEqual([61, undefined]);
    expect((await recovered(many.slice(0, MAX_RECOVERED))).nextMs).toBeUndefined();
  });
});

describe('the response body of a recovery', () => {
  it('contains its count, and the time from which to continue', () => {
    const common = { object: 'webhook_recovery', webhook_id: 'wh_1', recovered: 3 };
    expect(recoveryBody('wh_1', { count: 3, nextMs: EVENT.receivedMs })).toEqual({
      ...common,
      next_since: '2026-07-15T12:00:00.000Z',
    });
    expect(recoveryBody('wh_1', { count: 3, nextMs: undefined })).toEqual({ ...common, next_since: null });
  });
});
