/** Wires `DELETE /api/v1/webhooks/{id}` for Lambda. */
import { createSubscriptionStore } from '../../adapters/webhooks/create-webhook-stores.ts';
import { keyOrSessionHandler } from '../../hosts/handlers.ts';
import { deleteWebhook } from './endpoint.ts';

export const handler = keyOrSessionHandler('platform', (resources) =>
  deleteWebhook({ ...resources, subscriptions: createSubscriptionStore(resources) }),
);
