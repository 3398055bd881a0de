/** Wires `GET /api/v1/webhooks/{id}/deliveries` for Lambda. */
import {
  createDeliveryStore,
  createSubscriptionStore,
} from '../../adapters/webhooks/create-webhook-stores.ts';
import { keyOrSessionHandler } from '../../hosts/handlers.ts';
import { listDeliveries } from './endpoint.ts';

export const handler = keyOrSessionHandler('platform', (resources) =>
  listDeliveries({
    ...resources,
    subscriptions: createSubscriptionStore(resources),
    deliveries: createDeliveryStore(resources),
  }),
);
