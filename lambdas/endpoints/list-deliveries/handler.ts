/** Wires `GET /api/v1/webhooks/{id}/deliveries` for Lambda. */
import {
  createDeliveryStore,
  createSubscriptionStore,
} from '../../adapters/webhooks/create-webhook-stores.ts';
import { keyHandler } from '../../hosts/key-handler.ts';
import { listDeliveries } from './endpoint.ts';

export const handler = keyHandler('platform', (resources) =>
  listDeliveries({
    ...resources,
    subscriptions: createSubscriptionStore(resources),
    deliveries: createDeliveryStore(resources),
  }),
);
