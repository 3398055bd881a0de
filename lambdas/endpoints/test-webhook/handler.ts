/** Wires `POST /api/v1/webhooks/{id}/test` for Lambda. */
import { createQueueClient } from '../../adapters/aws/clients.ts';
import {
  createDeliveryStore,
  createSubscriptionStore,
} from '../../adapters/webhooks/create-webhook-stores.ts';
import { createEventStore } from '../../adapters/webhooks/event-store.ts';
import { createTriggerSender } from '../../adapters/webhooks/trigger-queue.ts';
import { keyOrSessionHandler } from '../../hosts/handlers.ts';
import { testWebhook } from './endpoint.ts';

export const handler = keyOrSessionHandler('platform', (resources) =>
  testWebhook({
    ...resources,
    subscriptions: createSubscriptionStore(resources),
    deliveries: createDeliveryStore(resources),
    events: createEventStore(resources.clients.client, resources),
    triggers: createTriggerSender(createQueueClient(), resources.environment),
  }),
);
