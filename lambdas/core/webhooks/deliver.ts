/**
 * One attempt of a delivery, and what follows from it. The order of writes makes it safe to die anywhere: the wake for
 * the next attempt is kept before the end of this one is recorded, and the wake that asked for this one is deleted last.
 */
import { RetryLater } from '../errors.ts';
import type { Clock, RandomSource, UlidSource } from '../ports.ts';
import { nextAttempt, parseRetryAfter, RETRY_SPAN_MS } from './backoff.ts';
import type { Attempt, DeadReason, Delivery } from './delivery.ts';
import { payloadOf, type StoredEvent } from './event.ts';
import { wakeOf } from './fan-out.ts';
import type {
  DeliveryStore,
  EventStore,
  Lane,
  Lease,
  Send,
  SendResult,
  SigningSecretStore,
  Wake,
  WakeQueue,
} from './ports.ts';
import type { ReceiverHealth } from './receiver-health.ts';
import { signatureHeaders } from './signature.ts';
import type { Subscription } from './subscription.ts';

/**
 * First attempts of one subscription that one process makes at once: as many as a batch of messages holds, so that it
 * is exceeded only where many batches share a process. What comes beyond it waits in the lane of retries, because a
 * receiver that is about to turn out dead would hold every place of its lane for five seconds.
 */
export const MAX_UNDER_WAY = 10;

export interface DeliveryWatch {
  readonly onAttempt: (attempt: Attempt, delivery: Delivery) => void;
  readonly onDead: (reason: DeadReason) => void;
}

export interface DeliverDependencies {
  readonly secrets: Pick<SigningSecretStore, 'open'>;
  readonly events: Pick<EventStore, 'get'>;
  readonly deliveries: Pick<DeliveryStore, 'claim' | 'revive' | 'end'>;
  readonly wakes: WakeQueue;
  readonly health: ReceiverHealth;
  readonly send: Send;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly ulid: UlidSource;
  readonly watch: DeliveryWatch;
  /** How long one reader may be at a delivery before another takes over. */
  readonly leaseMs: number;
}

/** A claimed attempt. */
interface Claimed {
  readonly subscription: Subscription;
  readonly secrets: readonly string[];
  readonly delivery: Delivery;
  readonly lease: Lease;
  readonly manual: boolean;
}

export class Deliver {
  readonly #dependencies: DeliverDependencies;
  /** First attempts that this process is at, by subscription. */
  readonly #underWay = new Map<string, number>();

  constructor(dependencies: DeliverDependencies) {
    this.#dependencies = dependencies;
  }

  /** Makes the attempt that a wake asks for, unless it has been made, is being made or is no longer wanted. */
  async handle(wake: Wake, lane: Lane): Promise<void> {
    const { webhookId } = wake;
    if (lane === 'retries') return this.#handle(wake, lane);
    const underWay = this.#underWay.get(webhookId) ?? 0;
    if (underWay >= MAX_UNDER_WAY) return this.#dependencies.wakes.now([wake], 'retries');
    this.#underWay.set(webhookId, underWay + 1);
    try {
      await this.#handle(wake, lane);
    } finally {
      const left = (this.#underWay.get(webhookId) ?? 1) - 1;
      if (left === 0) this.#underWay.delete(webhookId);
      else this.#underWay.set(webhookId, left);
    }
  }

  async #handle(wake: Wake, lane: Lane): Promise<void> {
    const { secrets, events, wakes, health, clock } = this.#dependencies;
    const { accountId, webhookId, eventId, manual = false } = wake;
    const [opened, event] = await Promise.all([
      secrets.open({ accountId, id: webhookId }, clock()),
      events.get(accountId, eventId),
    ]);
    if (opened === undefined) return;
    const { subscription } = opened;
    await health.publishNotice(subscription);
    if (lane === 'deliveries' && subscription.failingSinceMs !== undefined)
      return wakes.now([wake], 'retries');
    const claimed = await this.#claim(wake, subscription);
    if (claimed === undefined) return;
    const attempt = { ...opened, ...claimed, manual };
    if (event === undefined) return this.#giveUp(attempt, 'missing');
    if (subscription.status !== 'active' && !manual) return this.#giveUp(attempt, 'disabled');
    await this.#attempt(attempt, event);
  }

  async #claim(
    wake: Wake,
    subscription: Subscription,
  ): Promise<{ readonly delivery: Delivery; readonly lease: Lease } | undefined> {
    const { deliveries, clock, ulid, leaseMs } = this.#dependencies;
    const nowMs = clock();
    const lease = { id: ulid(), untilMs: nowMs + leaseMs };
    const claim = { attempt: wake.attempt, lease, nowMs };
    let result = await deliveries.claim({ webhookId: wake.webhookId, id: wake.deliveryId }, claim);
    const found = result.delivery;
    if (!result.granted && found !== undefined && mayRevive(found, wake, subscription))
      result = await deliveries.revive(found, claim, nowMs + RETRY_SPAN_MS);
    if (!result.granted && found !== undefined && isEarly(found, wake)) throw new RetryLater();
    return result.granted && result.delivery !== undefined ? { delivery: result.delivery, lease } : undefined;
  }

  async #attempt(claimed: Claimed, event: StoredEvent): Promise<void> {
    const { clock, send, watch } = this.#dependencies;
    const { delivery, subscription, secrets } = claimed;
    const number = delivery.attempts + 1;
    const body = payloadOf(event);
    const atMs = clock();
    const headers = {
      'content-type': 'application/json',
      'X-service-Event-Id': event.id,
      'X-service-Delivery-Attempt': String(number),
      ...signatureHeaders({ id: event.id, timestamp: Math.floor(atMs / 1000), body, secrets }),
    };
    const result = await send({ url: subscription.url, headers, body });
    const attempt: Attempt = {
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

  async #succeed({ delivery, lease, subscription }: Claimed, attempt: Attempt): Promise<void> {
    const { deliveries, health } = this.#dependencies;
    await deliveries.end(delivery, { lease, attempt, status: 'delivered' });
    await health.succeeded(subscription);
  }

  async #fail(claimed: Claimed, attempt: Attempt, result: SendResult): Promise<void> {
    const { deliveries, wakes, health, clock, random } = this.#dependencies;
    const { delivery, lease, subscription } = claimed;
    if (subscription.status !== 'active') return this.#giveUp(claimed, 'disabled', attempt);
    const disabled = await health.failed(subscription, attempt.status);
    if (disabled !== undefined)
      return this.#giveUp(claimed, disabled === 'gone' ? 'gone' : 'disabled', attempt);
    const nowMs = clock();
    const dueMs = nextAttempt({
      nowMs,
      tries: attempt.number - delivery.roundStart,
      deadlineMs: delivery.deadlineMs,
      retryAfterMs: parseRetryAfter(result.retryAfter, nowMs),
      chance: random(),
    });
    const next = wakeOf({ ...delivery, attempts: attempt.number });
    if (dueMs === undefined) {
      await wakes.dead(next);
      return this.#giveUp(claimed, 'exhausted', attempt);
    }
    await wakes.later(next, dueMs);
    await deliveries.end(delivery, { lease, attempt, status: 'pending', dueMs });
  }

  async #giveUp({ delivery, lease }: Claimed, deadReason: DeadReason, attempt?: Attempt): Promise<void> {
    const { deliveries, watch } = this.#dependencies;
    await deliveries.end(delivery, {
      lease,
      status: 'dead',
      deadReason,
      ...(attempt === undefined ? {} : { attempt }),
    });
    watch.onDead(deadReason);
  }
}

/**
 * The attempt before it has not been recorded, or somebody else is at this one: either may have died. If not, the wake
 * is void when it comes back.
 */
const isEarly = (found: Delivery, { attempt }: Wake): boolean =>
  attempt > found.attempts + 1 || (attempt === found.attempts + 1 && found.status === 'pending');

/** A dead letter that came back, or an owner who asks, begins a new round; a wake that came late does not. */
function mayRevive(found: Delivery, wake: Wake, { status }: Subscription): boolean {
  if (found.attempts !== wake.attempt - 1 || found.status === 'pending') return false;
  return wake.manual === true || (found.status === 'dead' && status === 'active');
}
