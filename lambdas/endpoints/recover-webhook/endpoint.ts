/** `POST /api/v1/webhooks/{id}/recover`: brings back the deliveries that were given up, of events since a time. */
import { ServiceError } from '../../core/errors.ts';
import { readJson, validate } from '../../core/json/json-body.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import type { Clock, Endpoint } from '../../core/ports.ts';
import { admit, notFound, type WebhookAccess } from '../../core/webhooks/access.ts';
import type { DeliveryStore, SubscriptionStore, TriggerQueue } from '../../core/webhooks/ports.ts';
import { recover, recoveryBody } from '../../core/webhooks/recovery.ts';
import { recoverSchema } from '../../core/webhooks/request.ts';

export interface RecoverWebhookDependencies extends WebhookAccess {
  readonly subscriptions: Pick<SubscriptionStore, 'get'>;
  readonly deliveries: Pick<DeliveryStore, 'list'>;
  readonly triggers: Pick<TriggerQueue, 'enqueue'>;
  readonly clock: Clock;
}

export function recoverWebhook(dependencies: RecoverWebhookDependencies): Endpoint {
  return async (request, { pathParameters }) => {
    const { accountId, input, headers } = await admit(dependencies, request, async () =>
      validate(recoverSchema, (await readJson(request)).value),
    );
    const { id = '' } = pathParameters;
    const subscription = await dependencies.subscriptions.get({ accountId, id });
    if (subscription === undefined) throw notFound('webhook', headers);
    if (subscription.status !== 'active')
      throw new ServiceError('conflict', 'The webhook is disabled: set its status to active first.', {
        headers,
      });
    const recovered = await recover(dependencies, id, input.since);
    return jsonResponse(recoveryBody(id, recovered), headers, 202);
  };
}
