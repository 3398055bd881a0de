/** Wires `PATCH /api/v1/webhooks/{id}` for Lambda. */
import { createResolve, loopbackAllowed } from '../../adapters/webhooks/address-guard.ts';
import { createSubscriptionStore } from '../../adapters/webhooks/create-webhook-stores.ts';
import { keyOrSessionHandler } from '../../hosts/handlers.ts';
import { updateWebhook } from './endpoint.ts';

export const handler = keyOrSessionHandler('platform', (resources) =>
  updateWebhook({
    ...resources,
    subscriptions: createSubscriptionStore(resources),
    allowLoopback: loopbackAllowed(resources.environment),
    resolve: createResolve(),
  }),
);
