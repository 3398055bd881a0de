/** `POST /api/v1/webhooks/{id}/rotate-secret`: a new secret, shown this once; the old one signs beside it for a day. */
import { ServiceError } from '../../core/errors.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import type { Clock, Endpoint } from '../../core/ports.ts';
import { admit, notFound, type WebhookAccess } from '../../core/webhooks/access.ts';
import type { SigningSecretStore } from '../../core/webhooks/ports.ts';
import { ROTATION_SECONDS } from '../../core/webhooks/subscription.ts';

export interface RotateWebhookSecretDependencies extends WebhookAccess {
  readonly secrets: Pick<SigningSecretStore, 'rotate'>;
  readonly newSecret: () => string;
  readonly clock: Clock;
}

export function rotateWebhookSecret(dependencies: RotateWebhookSecretDependencies): Endpoint {
  const { secrets, newSecret, clock } = dependencies;
  return async (request, { pathParameters }) => {
    const { accountId, headers } = await admit(dependencies, request, async () => undefined);
    const { id = '' } = pathParameters;
    const [secret, nowMs] = [newSecret(), clock()];
    const until = Math.floor(nowMs / 1000) + ROTATION_SECONDS;
    const result = await secrets.rotate({ accountId, id }, secret, { nowMs, until });
    if (result === 'absent') throw notFound('webhook', headers);
    if (result === 'conflict')
      throw new ServiceError(
        'conflict',
        'The secret is being rotated by another request, or was rotated too often within a day.',
        {
          headers,
        },
      );
    return jsonResponse({ id, object: 'webhook', secret, previous_secret_expires: until }, headers);
  };
}
