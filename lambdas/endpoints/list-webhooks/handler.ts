/** Wires `GET /api/v1/webhooks` for Lambda. */
import { createSubscriptionStore } from '../../adapters/webhooks/create-webhook-stores.ts';
import { keyHandler } from '../../hosts/key-handler.ts';
import { listWebhooks } from './endpoint.ts';

export const handler = keyHandler('platform', (resources) =>
  listWebhooks({ ...resources, subscriptions: createSubscriptionStore(resources) }),
);
