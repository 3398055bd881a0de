import { describe, expect, it } from '@jest/globals';
import { FakeTime } from '../../../tools/test-kit/fake-time.ts';
import { RetryLater } from '../../platform/core/errors.ts';
import {
  deliveryWith,
  EVENT,
  MemoryDeliveries,
  MemoryTriggers,
  SUBSCRIPTION,
} from '../testing/memory-deliveries.ts';
import { DeliveryWorker, MAX_IN_FLIGHT } from './deliver.ts';
import { type DeadReason, type Delivery, type DeliveryAttempt, deliveryEntry } from './delivery.ts';
import { payloadOf } from './event.ts';
import { triggerOf } from './fan-out.ts';
import type { Lane, SendRequest, SendResult } from './ports.ts';
import { ReceiverHealth } from './receiver-health.ts';
import { signatureHeaders } from './signature.ts';
import type { Subscription } from './subscription.ts';

const SECRETS = ['whsec_bmV3', 'whsec_b2xk'];
const CLAIM_MS = 30_000;
const FAILED: SendResult = { outcome: 'status', status: 500, body: 'no' };

interface Plan {
  readonly delivery?: Partial<Delivery>;
  readonly subscription?: Partial<Subscription>;
  readonly sendResult?: SendResult;
  readonly responseMs?: number;
  readonly eventIsGone?: boolean;
  readonly isUnsubscribed?: boolean;
}

/** A worker on stores in memory, for one delivery of one subscription. */
function working(plan: Plan = {}) {
  const { sendResult = { outcome: 'delivered', status: 200 }, responseMs = 0 } = plan;
  const time = new FakeTime();
  const deliveries = new MemoryDeliveries(deliveryWith(plan.delivery));
  const triggers = new MemoryTriggers();
  const subscription = { ...SUBSCRIPTION, ...plan.subscription };
  const requests: SendRequest[] = [];
  const attempts: DeliveryAttempt[] = [];
  const dead: DeadReason[] = [];
  const health: string[] = [];
  const published: unknown[] = [];
  let claims = 0;
  const worker = new DeliveryWorker({
    secrets: { open: async () => (plan.isUnsubscribed ? undefined : { subscription, secrets: SECRETS }) },
    events: { get: async () => (plan.eventIsGone ? undefined : EVENT) },
    deliveries,
    triggers,
    health: new ReceiverHealth({
      store: {
        markFailing: async () => void health.push('failing'),
        markHealthy: async () => void health.push('healthy'),
        disable: async (_subscription, reason) => health.push(`disabled: ${reason}`) > 0,
        clearNotice: async () => void health.push('notice cleared'),
      },
      publish: async (event) => void published.push(event),
      clock: time.clock,
      onDisabled: () => {},
      log: { info: () => {}, warn: () => {}, error: () => {} },
    }),
    send: async (request) => {
      requests.push(request);
      if (responseMs > 0) await time.sleep(responseMs);
      return sendResult;
    },
    clock: time.clock,
    random: () => 0.5,
    ulid: () => String(claims++),
    watch: {
      onAttempt: (attempt) => void attempts.push(attempt),
      onDead: (reason) => void dead.push(reason),
    },
    claimMs: CLAIM_MS,
  });
  const trigger = triggerOf(deliveries.only());
  const handle = (changes: object = {}, lane: Lane = 'retries') =>
    time.until(worker.handle({ ...trigger, ...changes }, lane));
  return {
    time,
    worker,
    deliveries,
    triggers,
    trigger,
    handle,
    sent: requests,
    attempts,
    dead,
    health,
    published,
  };
}

describe('an attempt', () => {
  it('contains a signature of every active secret, and its own number', async () => {
    const { handle, sent, time } = working({ delivery: { attempts: 2 } });
    await handle();
    const body = payloadOf(EVENT);
    const timestamp = Math.floor(time.clock() / 1000);
    expect(sent).toEqual([
      {
        url: SUBSCRIPTION.url,
        body,
        headers: {
          'content-type': 'application/json',
          'X-service-Event-Id': EVENT.id,
          'X-service-Delivery-Attempt': '3',
          ...signatureHeaders({ id: EVENT.id, timestamp, body, secrets: SECRETS }),
        },
      },
    ]);
  });

  it('ends its delivery with its time and response if it succeeds, and the receiver counts as healthy again', async () => {
    const { handle, deliveries, attempts, health, triggers, time } = working({
      sendResult: { outcome: 'delivered', status: 204, body: 'ok' },
      responseMs: 700,
      subscription: { failingSinceMs: 1 },
    });
    const atMs = time.clock();
    await handle();
    const attempt = { number: 1, atMs, durationMs: 700, outcome: 'delivered', status: 204, body: 'ok' };
    expect(deliveries.only()).toMatchObject({ status: 'delivered', attempts: 1, log: [attempt] });
    expect(attempts).toEqual([attempt]);
    expect([health, triggers.queued]).toEqual([['healthy'], []]);
  });

  it('writes nothing about the receiver if it succeeds and the receiver had not failed', async () => {
    const { handle, health } = working();
    await handle();
    expect(health).toEqual([]);
  });

  it('completes its record before its trigger ends, for any duration of the write', async () => {
    for (const sendResult of [
      { outcome: 'delivered' } as const,
      FAILED,
      { outcome: 'status', status: 410 } as const,
    ]) {
      const { handle, deliveries, time } = working({ sendResult });
      const { end } = deliveries;
      deliveries.end = async (...attemptEnd) => {
        await time.sleep(1_000);
        await end.call(deliveries, ...attemptEnd);
      };
      await handle();
      expect(deliveries.only().attempts).toBe(1);
    }
  });

  it.each([
    ['90', 90_000],
    ['Wed, 15 Jul 2026 12:40:00 GMT', 40 * 60_000],
  ])('leads to the next one after the pause that the receiver requests: %s', async (retryAfter, ms) => {
    const { handle, triggers, time } = working({ sendResult: { ...FAILED, status: 429, retryAfter } });
    await handle();
    expect(triggers.queued).toMatchObject([{ to: 'schedule', atMs: time.clock() + ms }]);
  });

  it('counts attempts from the start of its round', async () => {
    const { handle, triggers, time } = working({
      sendResult: FAILED,
      delivery: { attempts: 8, roundStart: 7 },
    });
    await handle();
    expect(triggers.queued).toMatchObject([{ atMs: time.clock() + 60_000, trigger: { attempt: 10 } }]);
  });
});

describe('an attempt that does not take place', () => {
  it.each([
    ['its event is kept no longer', { eventIsGone: true }, 'missing'],
    ['its subscription is disabled', { subscription: { status: 'disabled' } }, 'disabled'],
  ] as const)('ends its delivery: %s', async (_case, plan, reason) => {
    const { handle, sent, deliveries, dead } = working(plan);
    await handle();
    expect(sent).toEqual([]);
    expect(deliveries.only()).toMatchObject({ status: 'dead', deadReason: reason, attempts: 0 });
    expect(dead).toEqual([reason]);
  });

  it('changes nothing if its subscription is deleted, or if the attempt has already taken place', async () => {
    for (const [plan, changes] of [
      [{ isUnsubscribed: true }, {}],
      [{ delivery: { attempts: 3 } }, { attempt: 3 }],
      [{ delivery: { attempts: 3, status: 'delivered' } }, { attempt: 4 }],
    ] as const) {
      const { handle, sent, deliveries } = working(plan);
      const before = deliveries.only();
      await handle(changes);
      expect(sent).toEqual([]);
      expect(deliveries.only()).toEqual(before);
    }
  });

  it.each([
    ['its turn has not come', {}, { attempt: 3 }],
    ['the one before it is pending', { attempts: 1 }, { attempt: 4 }],
  ])('throws RetryLater and sends nothing: %s', async (_case, delivery, changes) => {
    const { handle, sent } = working({ delivery });
    await expect(handle(changes)).rejects.toThrow(RetryLater);
    expect(sent).toEqual([]);
  });

  it('throws RetryLater while another process makes it, and happens if that process has died', async () => {
    const { worker, trigger, handle, time, sent } = working({ responseMs: 10 * CLAIM_MS });
    void worker.handle(trigger, 'retries');
    await time.advance(CLAIM_MS);
    await expect(worker.handle(trigger, 'retries')).rejects.toThrow(RetryLater);
    expect(sent).toHaveLength(1);
    await time.advance(1);
    await handle();
    expect(sent).toHaveLength(2);
  });
});

describe('an attempt that disables its subscription', () => {
  it.each([
    ['gone, if the receiver returns 410', undefined, 410, 'gone'],
    ['disabled, if the receiver has failed for too long', 1, 500, 'disabled'],
  ])('ends its delivery as %s', async (_case, failingSinceMs, status, deadReason) => {
    const { handle, deliveries } = working({
      subscription: { failingSinceMs },
      sendResult: { outcome: 'status', status },
    });
    await handle();
    expect(deliveries.only()).toMatchObject({ status: 'dead', deadReason });
  });
});

describe('a delivery that its owner reads', () => {
  it('shows the time of its next attempt only while it is pending', () => {
    const nextAttempt = (status: Delivery['status']) => deliveryEntry(deliveryWith({ status })).next_attempt;
    expect(nextAttempt('pending')).toBe(EVENT.created.replace('Z', '.000Z'));
    expect([nextAttempt('delivered'), nextAttempt('dead')]).toEqual([null, null]);
  });
});

describe('a redelivery that the owner requests', () => {
  it.each([
    ['what was delivered', { status: 'delivered' }, {}],
    ['what is dead', { status: 'dead', deadReason: 'exhausted' }, {}],
    ['to a disabled subscription', { status: 'dead', deadReason: 'disabled' }, { status: 'disabled' }],
    ['what waits, to a disabled subscription', { status: 'pending' }, { status: 'disabled' }],
  ] as const)('sends an attempt: %s', async (_case, delivery, subscription) => {
    const { handle, sent, deliveries } = working({ delivery: { ...delivery, attempts: 2 }, subscription });
    await handle({ manual: true });
    expect(sent).toHaveLength(1);
    expect(deliveries.only()).toMatchObject({ status: 'delivered', attempts: 3, deadReason: undefined });
  });

  it('makes one attempt if it fails for a disabled subscription, and records nothing about the receiver', async () => {
    const { handle, triggers, deliveries, health } = working({
      delivery: { status: 'dead', attempts: 2 },
      subscription: { status: 'disabled' },
      sendResult: FAILED,
    });
    await handle({ manual: true });
    expect(deliveries.only()).toMatchObject({ status: 'dead', deadReason: 'disabled', attempts: 3 });
    expect([triggers.queued, health]).toEqual([[], []]);
  });

  it('differs from the redrive of a dead letter, which sends nothing to a disabled subscription', async () => {
    const { handle, sent } = working({
      delivery: { status: 'dead', attempts: 9 },
      subscription: { status: 'disabled' },
    });
    await handle();
    expect(sent).toEqual([]);
  });
});

describe('first attempts of one subscription in one process', () => {
  it('run ten at once, a new one for each that ends, and further ones go to the retry lane', async () => {
    const { worker, trigger, time, triggers, sent, deliveries } = working({ responseMs: 5_000 });
    const started: string[] = [];
    const start = () => {
      const id = `dlv_${started.push('')}`;
      deliveries.deliveries.set(id, deliveryWith({ id }));
      return worker.handle({ ...trigger, deliveryId: id }, 'deliveries');
    };
    const startedDeliveries: Promise<void>[] = [];
    for (let index = 0; index < MAX_IN_FLIGHT; index += 1) {
      startedDeliveries.push(start());
      await time.advance(100);
    }
    await time.until(startedDeliveries[0] as Promise<void>);
    for (let attemptEnd = 1; attemptEnd <= 3; attemptEnd += 1) {
      startedDeliveries.push(start());
      await time.advance(0);
      expect([sent.length, triggers.queued.length]).toEqual([MAX_IN_FLIGHT + attemptEnd, attemptEnd - 1]);
      await start();
      expect([sent.length, triggers.queued.length]).toEqual([MAX_IN_FLIGHT + attemptEnd, attemptEnd]);
      const deliveryId = `dlv_${started.length}`;
      expect(triggers.queued.at(-1)).toMatchObject({ to: 'retries', trigger: { deliveryId } });
      await time.until(startedDeliveries[attemptEnd] as Promise<void>);
    }
    await time.until(Promise.all(startedDeliveries));
  });

  it('go to the retry lane if the receiver failed the last time, and take place there', async () => {
    const { handle, sent, triggers } = working({ subscription: { failingSinceMs: 1 } });
    await handle({}, 'deliveries');
    expect(sent).toEqual([]);
    expect(triggers.queued).toMatchObject([{ to: 'retries', trigger: { attempt: 1 } }]);
    await handle({}, 'retries');
    expect(sent).toHaveLength(1);
  });
});

describe('a notice that was left unpublished', () => {
  it('reaches the bus through the next process that reads it', async () => {
    const { handle, published, health } = working({
      subscription: { status: 'disabled', disabledReason: 'gone', notice: 'evt_notice' },
    });
    await handle();
    expect(published).toEqual([
      {
        accountId: SUBSCRIPTION.accountId,
        type: 'endpoint.disabled',
        id: 'evt_notice',
        data: { webhook_id: SUBSCRIPTION.id, url: SUBSCRIPTION.url, reason: 'gone' },
      },
    ]);
    expect(health).toEqual(['notice cleared']);
  });
});
