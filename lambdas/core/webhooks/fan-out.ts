/** From one event to a delivery for each subscription that wants it; repeatable after any crash, and without effect once done. */

import type { Clock, Log } from '../ports.ts';
import { QUOTAS } from '../quotas.ts';
import { RETRY_SPAN_MS } from './backoff.ts';
import { type Delivery, deliveryId } from './delivery.ts';
import { type PlatformEvent, parseBusEvent, type StoredEvent } from './event.ts';
import {
  type DeliveryStore,
  type EventStore,
  LANES,
  type Lane,
  type SubscriptionStore,
  type Wake,
  type WakeQueue,
} from './ports.ts';
import { type Subscription, wants } from './subscription.ts';

export interface FanOutDependencies {
  readonly events: EventStore;
  readonly subscriptions: Pick<SubscriptionStore, 'list'>;
  readonly deliveries: Pick<DeliveryStore, 'create'>;
  readonly wakes: Pick<WakeQueue, 'now'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly onCreated: (deliveries: number) => void;
  readonly onRejected: () => void;
}

/** A delivery that nobody has tried yet. */
export function newDelivery(event: StoredEvent, webhookId: string, nowMs: number): Delivery {
  return {
    webhookId,
    id: deliveryId(event, webhookId),
    accountId: event.accountId,
    eventId: event.id,
    eventType: event.type,
    status: 'pending',
    deadReason: undefined,
    attempts: 0,
    roundStart: 0,
    deadlineMs: nowMs + RETRY_SPAN_MS,
    dueMs: nowMs,
    createdMs: event.receivedMs,
    log: [],
  };
}

/** Asks for the delivery's next attempt. */
export const wakeOf = (delivery: Delivery, manual = false): Wake => ({
  accountId: delivery.accountId,
  webhookId: delivery.webhookId,
  deliveryId: delivery.id,
  eventId: delivery.eventId,
  attempt: delivery.attempts + 1,
  ...(manual ? { manual } : {}),
});

/** A receiver that failed the last time may take its whole time to fail again. */
export const laneOf = ({ failingSinceMs }: Subscription): Lane =>
  failingSinceMs === undefined ? 'deliveries' : 'retries';

export class FanOut {
  readonly #dependencies: FanOutDependencies;

  constructor(dependencies: FanOutDependencies) {
    this.#dependencies = dependencies;
  }

  /** Handles a message of the bus. What is no event of ours is counted and dropped: it would be none the next time. */
  async handle(message: unknown): Promise<void> {
    const { log, onRejected } = this.#dependencies;
    const event = parseBusEvent(message);
    if (event !== undefined) return this.publish(event);
    onRejected();
    log.warn('an event was rejected', { type: String(Object(message)['detail-type']).slice(0, 64) });
  }

  async publish(published: PlatformEvent): Promise<void> {
    const { events, clock, onCreated } = this.#dependencies;
    const event = await events.put(published, clock());
    if (event.fannedOut) return;
    const subscriptions = await this.#subscribers(event);
    const deliveries = await Promise.all(
      subscriptions.map((subscription) => this.#create(event, subscription)),
    );
    await this.#wake(subscriptions, deliveries);
    await events.markFannedOut(event);
    onCreated(deliveries.length);
  }

  async #subscribers({ accountId, type }: StoredEvent): Promise<readonly Subscription[]> {
    const found: Subscription[] = [];
    let after: string | undefined;
    do {
      const page = await this.#dependencies.subscriptions.list({
        accountId,
        limit: QUOTAS.webhooks_per_account,
        after,
      });
      found.push(...page.subscriptions);
      after = page.next;
    } while (after !== undefined);
    return found.filter((subscription) => wants(subscription, type));
  }

  #create(event: StoredEvent, { id }: Subscription): Promise<Delivery> {
    const { deliveries, clock } = this.#dependencies;
    return deliveries.create(newDelivery(event, id, clock()));
  }

  /** One that has been tried has a wake of its own; one that has not may have lost it in a crash. */
  async #wake(subscriptions: readonly Subscription[], deliveries: readonly Delivery[]): Promise<void> {
    const untried = deliveries.filter(({ attempts }) => attempts === 0);
    const lanes = new Map(subscriptions.map((subscription) => [subscription.id, laneOf(subscription)]));
    await Promise.all(
      LANES.map((lane) =>
        this.#dependencies.wakes.now(
          untried
            .filter(({ webhookId }) => lanes.get(webhookId) === lane)
            .map((delivery) => wakeOf(delivery)),
          lane,
        ),
      ),
    );
  }
}
