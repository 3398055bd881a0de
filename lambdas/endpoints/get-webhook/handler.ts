/** Wires `GET /api/v1/webhooks/{id}` for Lambda. */
import {
  createDeliveryStore,
  createSubscriptionStore,
} from '../../adapters/webhooks/create-webhook-stores.ts';
import { keyOrSessionHandler } from '../../hosts/handlers.ts';
import { getWebhook } from './endpoint.ts';

export const handler = keyOrSessionHandler('platform', (resources) =>
  getWebhook({
    ...resources,
    subscriptions: createSubscriptionStore(resources),
    deliveries: createDeliveryStore(resources),
  }),
);
