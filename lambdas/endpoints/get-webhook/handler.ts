/** Wires `GET /api/v1/webhooks/{id}` for Lambda. */
import {
  createDeliveryStore,
  createSubscriptionStore,
} from '../../adapters/webhooks/create-webhook-stores.ts';
import { keyHandler } from '../../hosts/key-handler.ts';
import { getWebhook } from './endpoint.ts';

export const handler = keyHandler('platform', (resources) =>
  getWebhook({
    ...resources,
    subscriptions: createSubscriptionStore(resources),
    deliveries: createDeliveryStore(resources),
  }),
);
