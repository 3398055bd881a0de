/** Wires the fan-out of the platform's events for Lambda. */
import { createQueueClient } from '../../adapters/aws/clients.ts';
import {
  createDeliveryStore,
  createSubscriptionStore,
} from '../../adapters/webhooks/create-webhook-stores.ts';
import { createEventStore } from '../../adapters/webhooks/event-store.ts';
import { createTriggerSender } from '../../adapters/webhooks/trigger-queue.ts';
import { METRICS } from '../../contract/metrics.ts';
import { queueHandler } from '../../hosts/consumer-handler.ts';
import { fanOutEvents } from './consumer.ts';

export const handler = queueHandler(({ metric, ...resources }) =>
  fanOutEvents({
    ...resources,
    events: createEventStore(resources.clients.client, resources),
    subscriptions: createSubscriptionStore(resources),
    deliveries: createDeliveryStore(resources),
    triggers: createTriggerSender(createQueueClient(), resources.environment),
    onCreated: (deliveries) => metric(METRICS.deliveriesCreated, deliveries),
    onRejected: () => metric(METRICS.eventsRejected, 1),
  }),
);
