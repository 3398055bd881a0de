/** `POST /api/v1/webhooks/{id}/rotate-secret`: a new secret, shown only once; the old one also signs for a day. */

import { keyOrSessionHandler } from '../../../access/handlers/handlers.ts';
import { ServiceError } from '../../../platform/core/errors.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { admit, notFound, nothing } from '../../core/access.ts';
import { ROTATION_SECONDS } from '../../core/subscription.ts';
import { createSigningSecretStore } from '../../store/create-webhook-stores.ts';
import { newSigningSecret } from '../../store/signing-secret-store.ts';

export const handler = keyOrSessionHandler('platform', (resources) => {
  const secrets = createSigningSecretStore(resources);
  return async (request, { pathParameters }) => {
    const { accountId, headers } = await admit(resources, request, nothing);
    const { id = '' } = pathParameters;
    const [secret, nowMs] = [newSigningSecret(), resources.clock()];
    const until = Math.floor(nowMs / 1000) + ROTATION_SECONDS;
    const result = await secrets.rotate({ accountId, id }, secret, { nowMs, until });
    if (result === 'absent') throw notFound('webhook', headers);
    const message = 'The secret is being rotated by another request, or was rotated too often within a day.';
    if (result === 'conflict') throw new ServiceError('conflict', message, { headers });
    return jsonResponse({ id, object: 'webhook', secret, previous_secret_expires: until }, headers);
  };
});
