/** Wires `GET /api/v1/webhooks` for Lambda. */
import { createSubscriptionStore } from '../../adapters/webhooks/create-webhook-stores.ts';
import { keyOrSessionHandler } from '../../hosts/handlers.ts';
import { listWebhooks } from './endpoint.ts';

export const handler = keyOrSessionHandler('platform', (resources) =>
  listWebhooks({ ...resources, subscriptions: createSubscriptionStore(resources) }),
);
