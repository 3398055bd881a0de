/** The stores of deliveries and the queue of their triggers by their contracts, in memory, with every write in order. */
import type { Delivery } from '../core/delivery.ts';
import type { StoredEvent } from '../core/event.ts';
import { newDelivery } from '../core/fan-out.ts';
import type {
  AttemptEnd,
  AttemptTrigger,
  ClaimRequest,
  ClaimResult,
  DeliveryClaim,
  DeliveryKey,
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
  readonly #claims = new Map<string, DeliveryClaim>();

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

  async claim({ id }: DeliveryKey, request: ClaimRequest): Promise<ClaimResult> {
    const delivery = this.deliveries.get(id);
    const granted =
      delivery?.status === 'pending' &&
      delivery.attempts === request.attempt - 1 &&
      this.#isFree(id, request);
    if (granted) this.#claims.set(id, request.claim);
    return { granted, delivery };
  }

  async revive(delivery: Delivery, request: ClaimRequest, deadlineMs: number): Promise<ClaimResult> {
    const stored = this.deliveries.get(delivery.id);
    const isSame = stored?.status === delivery.status && stored.attempts === delivery.attempts;
    if (!isSame || !this.#isFree(delivery.id, request)) return { granted: false, delivery: stored };
    const revived: Delivery = {
      ...stored,
      status: 'pending',
      deadReason: undefined,
      deadlineMs,
      roundStart: stored.attempts,
    };
    this.deliveries.set(delivery.id, revived);
    this.#claims.set(delivery.id, request.claim);
    return { granted: true, delivery: revived };
  }

  async end(delivery: Delivery, { claim, attempt, status, deadReason, dueMs }: AttemptEnd): Promise<void> {
    if (this.#claims.get(delivery.id)?.id !== claim.id) return;
    this.#claims.delete(delivery.id);
    this.deliveries.set(delivery.id, {
      ...delivery,
      status,
      deadReason,
      attempts: attempt?.number ?? delivery.attempts,
      dueMs: dueMs ?? delivery.dueMs,
      log: attempt === undefined ? delivery.log : [...delivery.log, attempt],
    });
  }

  #isFree(id: string, { nowMs }: ClaimRequest): boolean {
    const claim = this.#claims.get(id);
    return claim === undefined || claim.untilMs < nowMs;
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
