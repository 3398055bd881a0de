/** Wires `POST /api/v1/webhooks/{id}/rotate-secret` for Lambda. */
import { createSigningSecretStore } from '../../adapters/webhooks/create-webhook-stores.ts';
import { newSigningSecret } from '../../adapters/webhooks/new-secret.ts';
import { keyOrSessionHandler } from '../../hosts/handlers.ts';
import { rotateWebhookSecret } from './endpoint.ts';

export const handler = keyOrSessionHandler('platform', (resources) =>
  rotateWebhookSecret({
    ...resources,
    secrets: createSigningSecretStore(resources),
    newSecret: newSigningSecret,
  }),
);
