/** Wires `POST /api/v1/webhooks/{id}/recover` for Lambda. */
import { createQueueClient } from '../../adapters/aws/clients.ts';
import {
  createDeliveryStore,
  createSubscriptionStore,
} from '../../adapters/webhooks/create-webhook-stores.ts';
import { createTriggerSender } from '../../adapters/webhooks/trigger-queue.ts';
import { keyOrSessionHandler } from '../../hosts/handlers.ts';
import { recoverWebhook } from './endpoint.ts';

export const handler = keyOrSessionHandler('platform', (resources) =>
  recoverWebhook({
    ...resources,
    subscriptions: createSubscriptionStore(resources),
    deliveries: createDeliveryStore(resources),
    triggers: createTriggerSender(createQueueClient(), resources.environment),
  }),
);
