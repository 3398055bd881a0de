/** The stores of deliveries and the queue of their triggers by their contracts, in memory, with every write in order. */
import type { Delivery } from '../core/delivery.ts';
import type { StoredEvent } from '../core/event.ts';
import { newDelivery } from '../core/fan-out.ts';
import type {
  AttemptEnd,
  AttemptTrigger,
  ClaimResult,
  DeliveryClaim,
  DeliveryKey,
  DeliveryLease,
  DeliveryQuery,
  Lane,
  TriggerQueue,
} from '../core/ports.ts';
import type { Subscription } from '../core/subscription.ts';

export const EVENT: StoredEvent = {
  accountId: 'acc_1',
  id: 'evt_1',
  type: 'review.created',
  created: '2026-07-15T12:00:00Z',
  data: { stars: 5 },
  receivedMs: Date.UTC(2026, 6, 15, 12),
  fannedOut: true,
};

export const SUBSCRIPTION: Subscription = {
  accountId: EVENT.accountId,
  id: 'wh_1',
  url: 'https://receiver.test/hook',
  events: [EVENT.type],
  description: undefined,
  status: 'active',
  disabledReason: undefined,
  created: 0,
  failingSinceMs: undefined,
  notice: undefined,
};

export const deliveryWith = (changes: Partial<Delivery> = {}): Delivery => ({
  ...newDelivery(EVENT, SUBSCRIPTION.id, EVENT.receivedMs),
  ...changes,
});

export class MemoryDeliveries {
  readonly deliveries = new Map<string, Delivery>();
  readonly #leases = new Map<string, DeliveryLease>();

  constructor(...deliveries: readonly Delivery[]) {
    for (const delivery of deliveries) this.deliveries.set(delivery.id, delivery);
  }

  only(): Delivery {
    const [delivery] = this.deliveries.values();
    if (delivery === undefined) throw new Error('there is no delivery');
    return delivery;
  }

  async list({ limit, after = '' }: DeliveryQuery) {
    const later = [...this.deliveries.values()].filter(({ id }) => id > after).sort(byId);
    const entries = later.slice(0, limit);
    return { entries, next: later.length > limit ? entries.at(-1)?.id : undefined };
  }

  async claim({ id }: DeliveryKey, claim: DeliveryClaim): Promise<ClaimResult> {
    const delivery = this.deliveries.get(id);
    const granted =
      delivery?.status === 'pending' && delivery.attempts === claim.attempt - 1 && this.#isFree(id, claim);
    if (granted) this.#leases.set(id, claim.lease);
    return { granted, delivery };
  }

  async revive(delivery: Delivery, claim: DeliveryClaim, deadlineMs: number): Promise<ClaimResult> {
    const stored = this.deliveries.get(delivery.id);
    const isSame = stored?.status === delivery.status && stored.attempts === delivery.attempts;
    if (!isSame || !this.#isFree(delivery.id, claim)) return { granted: false, delivery: stored };
    const revived: Delivery = {
      ...stored,
      status: 'pending',
      deadReason: undefined,
      deadlineMs,
      roundStart: stored.attempts,
    };
    this.deliveries.set(delivery.id, revived);
    this.#leases.set(delivery.id, claim.lease);
    return { granted: true, delivery: revived };
  }

  async end(delivery: Delivery, { lease, attempt, status, deadReason, dueMs }: AttemptEnd): Promise<void> {
    if (this.#leases.get(delivery.id)?.id !== lease.id) return;
    this.#leases.delete(delivery.id);
    this.deliveries.set(delivery.id, {
      ...delivery,
      status,
      deadReason,
      attempts: attempt?.number ?? delivery.attempts,
      dueMs: dueMs ?? delivery.dueMs,
      log: attempt === undefined ? delivery.log : [...delivery.log, attempt],
    });
  }

  #isFree(id: string, { nowMs }: DeliveryClaim): boolean {
    const lease = this.#leases.get(id);
    return lease === undefined || lease.untilMs < nowMs;
  }
}

const byId = (a: Delivery, b: Delivery): number => (a.id < b.id ? -1 : 1);

export interface QueuedTrigger {
  readonly to: Lane | 'schedule' | 'dead';
  readonly trigger: AttemptTrigger;
  readonly atMs?: number;
}

export class MemoryTriggers implements TriggerQueue {
  readonly queued: QueuedTrigger[] = [];

  async enqueue(triggers: readonly AttemptTrigger[], lane: Lane): Promise<void> {
    this.queued.push(...triggers.map((trigger) => ({ to: lane, trigger })));
  }

  async schedule(trigger: AttemptTrigger, atMs: number): Promise<void> {
    this.queued.push({ to: 'schedule', trigger, atMs });
  }

  async deadLetter(trigger: AttemptTrigger): Promise<void> {
    this.queued.push({ to: 'dead', trigger });
  }
}
