/** `POST /api/v1/webhooks/{id}/test`: a test event for one subscription, delivered like any other. */
import { createQueueClient } from '../../adapters/aws/clients.ts';
import {
  createDeliveryStore,
  createSubscriptionStore,
} from '../../adapters/webhooks/create-webhook-stores.ts';
import { createEventStore } from '../../adapters/webhooks/event-store.ts';
import { createTriggerSender } from '../../adapters/webhooks/trigger-queue.ts';
import { readJson, validate } from '../../core/json/json-body.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { admitTo } from '../../core/webhooks/access.ts';
import { deliveryEntry } from '../../core/webhooks/delivery.ts';
import { type EventType, testData } from '../../core/webhooks/event.ts';
import { laneOf, newDelivery, triggerOf } from '../../core/webhooks/fan-out.ts';
import { testSchema } from '../../core/webhooks/request.ts';
import { keyOrSessionHandler } from '../../hosts/handlers.ts';

/** A test needs no body. */
async function wantedType(request: Request): Promise<EventType | undefined> {
  if (request.headers.get('content-type') === null) return undefined;
  return validate(testSchema, (await readJson(request)).value).type;
}

export const handler = keyOrSessionHandler('platform', (resources) => {
  const access = { ...resources, subscriptions: createSubscriptionStore(resources) };
  const { clients, clock, ulid } = resources;
  const events = createEventStore(clients.client, resources);
  const deliveries = createDeliveryStore(resources);
  const triggers = createTriggerSender(createQueueClient(), resources.environment);
  return async (request, { pathParameters: { id = '' } }) => {
    const caller = await admitTo(access, request, id, wantedType);
    const { accountId, subscription, headers } = caller;
    const type = caller.input ?? subscription.events[0] ?? 'listing.installed';
    const created = new Date(clock()).toISOString();
    const event = await events.put(
      { accountId, id: `evt_test_${ulid()}`, type, created, data: testData(type) },
      clock(),
    );
    const delivery = await deliveries.create(newDelivery(event, id, clock()));
    await triggers.enqueue([triggerOf(delivery, true)], laneOf(subscription));
    return jsonResponse(deliveryEntry(delivery), headers, 202);
  };
});
