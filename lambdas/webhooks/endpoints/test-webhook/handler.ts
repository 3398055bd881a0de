/** `POST /api/v1/webhooks/{id}/test`: a test event for one subscription, delivered like any other. */

import { keyOrSessionHandler } from '../../../access/handlers/handlers.ts';
import { createQueueClient } from '../../../platform/aws/clients.ts';
import { readJson, validate } from '../../../platform/core/json/json-body.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import type { HttpRequest } from '../../../platform/core/ports.ts';
import { admitTo } from '../../core/access.ts';
import { deliveryEntry } from '../../core/delivery.ts';
import { type EventType, requireWritable } from '../../core/event.ts';
import { testData } from '../../core/event-data.ts';
import { laneOf, newDelivery, triggerOf } from '../../core/fan-out.ts';
import { testSchema } from '../../core/request.ts';
import { createDeliveryStore, createSubscriptionStore } from '../../store/create-webhook-stores.ts';
import { createEventStore } from '../../store/event-store.ts';
import { createTriggerSender } from '../../store/trigger-queue.ts';

/** Returns a time as the bus has it, in whole seconds (Amazon EventBridge user guide, event structure). */
const busTime = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+/, '');

/** A test needs no body. */
async function wantedType(request: HttpRequest): Promise<EventType | undefined> {
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
    requireWritable([type], resources.stage);
    const created = busTime(clock());
    const event = await events.put(
      { accountId, id: `evt_test_${ulid()}`, type, created, data: testData(type) },
      clock(),
    );
    const delivery = await deliveries.create(newDelivery(event, id, clock()));
    await triggers.enqueue([triggerOf(delivery, true)], laneOf(subscription));
    return jsonResponse(deliveryEntry(delivery), headers, 202);
  };
});
