/** `POST /api/v1/webhooks/{id}/recover`: restarts the dead deliveries of events since a time. */
import { ServiceError } from '../../core/errors.ts';
import { readJson, validate } from '../../core/json/json-body.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import type { Clock, Endpoint } from '../../core/ports.ts';
import { admitTo, type SubscriptionAccess } from '../../core/webhooks/access.ts';
import type { DeliveryStore, TriggerQueue } from '../../core/webhooks/ports.ts';
import { recover, recoveryBody } from '../../core/webhooks/recovery.ts';
import { recoverSchema } from '../../core/webhooks/request.ts';

export interface RecoverWebhookDependencies extends SubscriptionAccess {
  readonly deliveries: Pick<DeliveryStore, 'list'>;
  readonly triggers: Pick<TriggerQueue, 'enqueue'>;
  readonly clock: Clock;
}

const readBody = async (request: Request) => validate(recoverSchema, (await readJson(request)).value);

export function recoverWebhook(dependencies: RecoverWebhookDependencies): Endpoint {
  return async (request, { pathParameters: { id = '' } }) => {
    const { subscription, input, headers } = await admitTo(dependencies, request, id, readBody);
    const message = 'The webhook is disabled: set its status to active first.';
    if (subscription.status !== 'active') throw new ServiceError('conflict', message, { headers });
    const recovered = await recover(dependencies, id, input.since);
    return jsonResponse(recoveryBody(id, recovered), headers, 202);
  };
}
