/**
 * One attempt of a delivery, and its consequences. The order of writes makes a crash safe anywhere: the trigger of the next
 * attempt is stored before the end of this one is recorded, and the trigger of this one is deleted last.
 */

import { parseRetryAfter } from '../../platform/core/api/retry-after.ts';
import { RetryLater } from '../../platform/core/errors.ts';
import type { Clock, RandomSource, UlidSource } from '../../platform/core/ports.ts';
import { nextAttempt, RETRY_SPAN_MS } from './backoff.ts';
import type { DeadReason, Delivery, DeliveryAttempt } from './delivery.ts';
import { type EventType, payloadOf, type StoredEvent } from './event.ts';
import { triggerOf } from './fan-out.ts';
import type {
  AttemptTrigger,
  DeliveryClaim,
  DeliveryStore,
  EventStore,
  Lane,
  OpenedSubscription,
  PostEvent,
  Send,
  SendResult,
  SigningSecretStore,
  TriggerQueue,
} from './ports.ts';
import type { ReceiverHealth } from './receiver-health.ts';
import { signatureHeaders } from './signature.ts';
import type { Subscription } from './subscription.ts';

/**
 * Concurrent first attempts of one subscription in one process. The limit equals the size of a message batch, so that
 * it is exceeded only if batches share a process. Further ones use the retry lane, because a receiver that does not
 * respond would block the lane for five seconds.
 */
export const MAX_IN_FLIGHT = 10;

interface DeliveryWatch {
  readonly onAttempt: (attempt: DeliveryAttempt, delivery: Delivery) => void;
  readonly onDead: (reason: DeadReason, delivery: Delivery) => void;
}

export interface DeliveryWorkerDependencies {
  readonly secrets: Pick<SigningSecretStore, 'open'>;
  readonly events: Pick<EventStore, 'get'>;
  readonly deliveries: Pick<DeliveryStore, 'claim' | 'revive' | 'end'>;
  readonly triggers: TriggerQueue;
  readonly health: ReceiverHealth;
  readonly send: Send;
  /** The types of events that are not posted as a webhook's are. */
  readonly posts?: Readonly<Partial<Record<EventType, PostEvent>>>;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly ulid: UlidSource;
  readonly watch: DeliveryWatch;
  /** The time for which a reader may work on a delivery before another may claim it. */
  readonly claimMs: number;
}

/** A claimed attempt. */
interface ClaimedAttempt extends OpenedSubscription {
  readonly delivery: Delivery;
  readonly claim: DeliveryClaim;
  readonly manual: boolean;
}

export class DeliveryWorker {
  readonly #dependencies: DeliveryWorkerDependencies;
  /** First attempts in flight in this process, by subscription. */
  readonly #inFlight = new Map<string, number>();

  constructor(dependencies: DeliveryWorkerDependencies) {
    this.#dependencies = dependencies;
  }

  /** Makes the triggered attempt, unless it is done, in flight or no longer wanted. */
  async handle(trigger: AttemptTrigger, lane: Lane): Promise<void> {
    const { webhookId } = trigger;
    if (lane === 'retries') return this.#handle(trigger, lane);
    const inFlight = this.#inFlight.get(webhookId) ?? 0;
    if (inFlight >= MAX_IN_FLIGHT) return this.#dependencies.triggers.enqueue([trigger], 'retries');
    this.#inFlight.set(webhookId, inFlight + 1);
    try {
      await this.#handle(trigger, lane);
    } finally {
      const remaining = (this.#inFlight.get(webhookId) ?? 1) - 1;
      if (remaining === 0) this.#inFlight.delete(webhookId);
      else this.#inFlight.set(webhookId, remaining);
    }
  }

  async #handle(trigger: AttemptTrigger, lane: Lane): Promise<void> {
    const { secrets, events, triggers, health, clock } = this.#dependencies;
    const { accountId, webhookId, eventId, manual = false } = trigger;
    const [opened, event] = await Promise.all([
      secrets.open({ accountId, id: webhookId }, clock()),
      events.get(accountId, eventId),
    ]);
    if (opened === undefined) return;
    const { subscription } = opened;
    await health.publishNotice(subscription);
    if (lane === 'deliveries' && subscription.failingSinceMs !== undefined)
      return triggers.enqueue([trigger], 'retries');
    const claimed = await this.#claim(trigger, subscription);
    if (claimed === undefined) return;
    const attempt = { ...opened, ...claimed, manual };
    if (event === undefined) return this.#giveUp(attempt, 'missing');
    if (subscription.status !== 'active' && !manual) return this.#giveUp(attempt, 'disabled');
    await this.#attempt(attempt, event);
  }

  async #claim(
    trigger: AttemptTrigger,
    subscription: Subscription,
  ): Promise<{ readonly delivery: Delivery; readonly claim: DeliveryClaim } | undefined> {
    const { deliveries, clock, ulid, claimMs } = this.#dependencies;
    const nowMs = clock();
    const claim = { id: ulid(), untilMs: nowMs + claimMs };
    const request = { attempt: trigger.attempt, claim, nowMs };
    let result = await deliveries.claim({ webhookId: trigger.webhookId, id: trigger.deliveryId }, request);
    const delivery = result.delivery;
    if (!result.granted && delivery !== undefined && mayRevive(delivery, trigger, subscription))
      result = await deliveries.revive(delivery, request, nowMs + RETRY_SPAN_MS);
    if (!result.granted && delivery !== undefined && isEarly(delivery, trigger)) throw new RetryLater();
    return result.granted && result.delivery !== undefined ? { delivery: result.delivery, claim } : undefined;
  }

  async #attempt(claimed: ClaimedAttempt, event: StoredEvent): Promise<void> {
    const { clock, posts, watch } = this.#dependencies;
    const { delivery } = claimed;
    const number = delivery.attempts + 1;
    const atMs = clock();
    const result = await (posts?.[event.type]?.(claimed, event) ?? this.#post(claimed, event, number));
    const attempt: DeliveryAttempt = {
      number,
      atMs,
      durationMs: clock() - atMs,
      outcome: result.outcome,
      ...(result.status === undefined ? {} : { status: result.status }),
      ...(result.body === undefined ? {} : { body: result.body }),
    };
    watch.onAttempt(attempt, delivery);
    if (attempt.outcome === 'delivered') await this.#succeed(claimed, attempt);
    else await this.#fail(claimed, attempt, result);
  }

  /** Posts the event as webhooks get it, signed. */
  #post({ subscription, secrets }: OpenedSubscription, event: StoredEvent, number: number) {
    const { clock, send } = this.#dependencies;
    const body = payloadOf(event);
    const headers = {
      'content-type': 'application/json',
      'X-service-Event-Id': event.id,
      'X-service-Delivery-Attempt': String(number),
      ...signatureHeaders({ id: event.id, timestamp: Math.floor(clock() / 1000), body, secrets }),
    };
    return send({ url: subscription.url, headers, body });
  }

  async #succeed({ delivery, claim, subscription }: ClaimedAttempt, attempt: DeliveryAttempt): Promise<void> {
    const { deliveries, health } = this.#dependencies;
    await deliveries.end(delivery, { claim, attempt, status: 'delivered' });
    await health.succeeded(subscription);
  }

  async #fail(claimed: ClaimedAttempt, attempt: DeliveryAttempt, result: SendResult): Promise<void> {
    const { deliveries, triggers, health, clock, random } = this.#dependencies;
    const { delivery, claim, subscription } = claimed;
    if (subscription.status !== 'active') return this.#giveUp(claimed, 'disabled', attempt);
    const disabled = await health.failed(subscription, attempt.status);
    if (disabled !== undefined)
      return this.#giveUp(claimed, disabled === 'gone' ? 'gone' : 'disabled', attempt);
    const nowMs = clock();
    const retry = {
      nowMs,
      attempts: attempt.number - delivery.roundStart,
      deadlineMs: delivery.deadlineMs,
      retryAfterMs: parseRetryAfter(result.retryAfter, nowMs),
      chance: random(),
    };
    const dueMs = result.isFinal ? undefined : nextAttempt(retry);
    const next = triggerOf({ ...delivery, attempts: attempt.number });
    if (dueMs === undefined) {
      if (!result.isFinal) await triggers.deadLetter(next);
      return this.#giveUp(claimed, 'exhausted', attempt);
    }
    await triggers.schedule(next, dueMs);
    await deliveries.end(delivery, { claim, attempt, status: 'pending', dueMs });
  }

  async #giveUp(
    { delivery, claim }: ClaimedAttempt,
    deadReason: DeadReason,
    attempt?: DeliveryAttempt,
  ): Promise<void> {
    const { deliveries, watch } = this.#dependencies;
    await deliveries.end(delivery, {
      claim,
      status: 'dead',
      deadReason,
      ...(attempt === undefined ? {} : { attempt }),
    });
    watch.onDead(deadReason, delivery);
  }
}

/**
 * The attempt before it is not recorded, or this one is in flight elsewhere: either process may have died. If neither did,
 * the trigger has no effect when it is received again.
 */
const isEarly = (delivery: Delivery, { attempt }: AttemptTrigger): boolean =>
  attempt > delivery.attempts + 1 || (attempt === delivery.attempts + 1 && delivery.status === 'pending');

/** A redriven dead letter, or the owner's request, starts a new round; a late trigger does not. */
function mayRevive(delivery: Delivery, trigger: AttemptTrigger, { status }: Subscription): boolean {
  if (delivery.attempts !== trigger.attempt - 1 || delivery.status === 'pending') return false;
  return trigger.manual === true || (delivery.status === 'dead' && status === 'active');
}
