/** Wires `DELETE /api/v1/webhooks/{id}` for Lambda. */
import { createSubscriptionStore } from '../../adapters/webhooks/create-webhook-stores.ts';
import { keyHandler } from '../../hosts/key-handler.ts';
import { deleteWebhook } from './endpoint.ts';

export const handler = keyHandler('platform', (resources) =>
  deleteWebhook({ ...resources, subscriptions: createSubscriptionStore(resources) }),
);
