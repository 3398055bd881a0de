/** From one event to a delivery for each subscription that wants it; safe to repeat after any crash. */

import { QUOTAS } from '../../platform/core/api/quotas.ts';
import type { Clock, Log } from '../../platform/core/ports.ts';
import { RETRY_SPAN_MS } from './backoff.ts';
import { type Delivery, deliveryId } from './delivery.ts';
import { parseBusEvent, type StoredEvent } from './event.ts';
import {
  type AttemptTrigger,
  type DeliveryStore,
  type EventStore,
  LANES,
  type Lane,
  type SubscriptionStore,
  type TriggerQueue,
} from './ports.ts';
import { type Subscription, wants } from './subscription.ts';

export interface FanOutDependencies {
  readonly events: EventStore;
  readonly subscriptions: Pick<SubscriptionStore, 'list'>;
  readonly deliveries: Pick<DeliveryStore, 'create'>;
  readonly triggers: Pick<TriggerQueue, 'enqueue'>;
  /** Mails an event to the owner of its account; absent where the operator has no mails sent. */
  readonly mail?: ((event: StoredEvent) => Promise<void>) | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly onCreated: (deliveries: number) => void;
  readonly onRejected: () => void;
}

/** A delivery before its first attempt. */
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

/** The trigger of the delivery's next attempt. */
export const triggerOf = (delivery: Delivery, manual = false): AttemptTrigger => ({
  accountId: delivery.accountId,
  webhookId: delivery.webhookId,
  deliveryId: delivery.id,
  eventId: delivery.eventId,
  attempt: delivery.attempts + 1,
  ...(manual ? { manual } : {}),
});

/** A receiver that failed the last time may take the whole timeout to fail again. */
export const laneOf = ({ failingSinceMs }: Subscription): Lane =>
  failingSinceMs === undefined ? 'deliveries' : 'retries';

/** Handles a message of the bus. What is not an event of ours is counted and dropped: a retry would not change that. */
export async function fanOut(dependencies: FanOutDependencies, message: unknown): Promise<void> {
  const { log, onRejected, events, clock, onCreated } = dependencies;
  const published = parseBusEvent(message);
  if (published === undefined) {
    onRejected();
    log.warn('an event was rejected', { type: String(Object(message)['detail-type']).slice(0, 64) });
    return;
  }
  const event = await events.put(published, clock());
  if (event.fannedOut) return;
  const subscriptions = await subscribersOf(dependencies, event);
  const deliveries = await Promise.all(
    subscriptions.map(({ id }) => dependencies.deliveries.create(newDelivery(event, id, clock()))),
  );
  await trigger(dependencies, subscriptions, deliveries);
  // After the deliveries: a mail that fails delays none, and the message comes again for it.
  await dependencies.mail?.(event);
  await events.markFannedOut(event);
  onCreated(deliveries.length);
}

async function subscribersOf(
  { subscriptions }: FanOutDependencies,
  { accountId, type }: StoredEvent,
): Promise<readonly Subscription[]> {
  const allSubscriptions: Subscription[] = [];
  let after: string | undefined;
  do {
    const page = await subscriptions.list({ accountId, limit: QUOTAS.webhooks_per_account, after });
    allSubscriptions.push(...page.entries);
    after = page.next;
  } while (after !== undefined);
  return allSubscriptions.filter((subscription) => wants(subscription, type));
}

/** A delivery with an attempt has its own trigger; one without may have lost it in a crash. */
async function trigger(
  { triggers }: FanOutDependencies,
  subscriptions: readonly Subscription[],
  deliveries: readonly Delivery[],
): Promise<void> {
  const untried = deliveries.filter(({ attempts }) => attempts === 0);
  const lanes = new Map(subscriptions.map((subscription) => [subscription.id, laneOf(subscription)]));
  await Promise.all(
    LANES.map((lane) => {
      const inLane = untried.filter(({ webhookId }) => lanes.get(webhookId) === lane);
      return triggers.enqueue(
        inLane.map((delivery) => triggerOf(delivery)),
        lane,
      );
    }),
  );
}
