/** `POST /api/v1/webhooks/{id}/test`: a test event for one subscription, delivered like any other. */
import { readJson, validate } from '../../core/json/json-body.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import type { Clock, Endpoint, UlidSource } from '../../core/ports.ts';
import { admit, notFound, type WebhookAccess } from '../../core/webhooks/access.ts';
import { deliveryEntry } from '../../core/webhooks/delivery.ts';
import { type EventType, testData } from '../../core/webhooks/event.ts';
import { laneOf, newDelivery, triggerOf } from '../../core/webhooks/fan-out.ts';
import type {
  DeliveryStore,
  EventStore,
  SubscriptionStore,
  TriggerQueue,
} from '../../core/webhooks/ports.ts';
import { testSchema } from '../../core/webhooks/request.ts';

export interface TestWebhookDependencies extends WebhookAccess {
  readonly subscriptions: Pick<SubscriptionStore, 'get'>;
  readonly events: Pick<EventStore, 'put'>;
  readonly deliveries: Pick<DeliveryStore, 'create'>;
  readonly triggers: Pick<TriggerQueue, 'enqueue'>;
  readonly clock: Clock;
  readonly ulid: UlidSource;
}

/** A test needs no body. */
async function wantedType(request: Request): Promise<EventType | undefined> {
  if (request.headers.get('content-type') === null) return undefined;
  return validate(testSchema, (await readJson(request)).value).type;
}

export function testWebhook(dependencies: TestWebhookDependencies): Endpoint {
  const { subscriptions, events, deliveries, triggers, clock, ulid } = dependencies;
  return async (request, { pathParameters }) => {
    const { accountId, input, headers } = await admit(dependencies, request, () => wantedType(request));
    const subscription = await subscriptions.get({ accountId, id: pathParameters.id ?? '' });
    if (subscription === undefined) throw notFound('webhook', headers);
    const type = input ?? subscription.events[0] ?? 'listing.installed';
    const created = new Date(clock()).toISOString();
    const event = await events.put(
      { accountId, id: `evt_test_${ulid()}`, type, created, data: testData(type) },
      clock(),
    );
    const delivery = await deliveries.create(newDelivery(event, subscription.id, clock()));
    await triggers.enqueue([triggerOf(delivery, true)], laneOf(subscription));
    return jsonResponse(deliveryEntry(delivery), headers, 202);
  };
}
