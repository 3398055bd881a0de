/** Wires `POST /api/v1/webhooks` for Lambda. */
import { createResolve, loopbackAllowed } from '../../adapters/webhooks/address-guard.ts';
import { createSigningSecretStore } from '../../adapters/webhooks/create-webhook-stores.ts';
import { newSigningSecret } from '../../adapters/webhooks/new-secret.ts';
import { keyOrSessionHandler } from '../../hosts/handlers.ts';
import { createWebhook } from './endpoint.ts';

export const handler = keyOrSessionHandler('platform', (resources) =>
  createWebhook({
    ...resources,
    secrets: createSigningSecretStore(resources),
    newSecret: newSigningSecret,
    allowLoopback: loopbackAllowed(resources.environment),
    resolve: createResolve(),
  }),
);
