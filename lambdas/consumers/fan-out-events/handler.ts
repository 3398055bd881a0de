/** Makes a delivery of each of the platform's events, as the bus passes them on, for every subscription to it. */
import { createQueueClient } from '../../adapters/aws/clients.ts';
import {
  createDeliveryStore,
  createSubscriptionStore,
} from '../../adapters/webhooks/create-webhook-stores.ts';
import { createEventStore } from '../../adapters/webhooks/event-store.ts';
import { createTriggerSender } from '../../adapters/webhooks/trigger-queue.ts';
import { METRICS } from '../../contract/metrics.ts';
import { fanOut } from '../../core/webhooks/fan-out.ts';
import { queueHandler } from '../../hosts/consumer-handler.ts';

export const handler = queueHandler(({ metric, ...resources }) => {
  const dependencies = {
    ...resources,
    events: createEventStore(resources.clients.client, resources),
    subscriptions: createSubscriptionStore(resources),
    deliveries: createDeliveryStore(resources),
    triggers: createTriggerSender(createQueueClient(), resources.environment),
    onCreated: (deliveries: number) => metric(METRICS.deliveriesCreated, deliveries),
    onRejected: () => metric(METRICS.eventsRejected, 1),
  };
  return ({ body }) => fanOut(dependencies, body);
});
