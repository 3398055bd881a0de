/** `POST /api/v1/webhooks/{id}/recover`: restarts the dead deliveries of events since a time. */
import { createQueueClient } from '../../adapters/aws/clients.ts';
import {
  createDeliveryStore,
  createSubscriptionStore,
} from '../../adapters/webhooks/create-webhook-stores.ts';
import { createTriggerSender } from '../../adapters/webhooks/trigger-queue.ts';
import { ServiceError } from '../../core/errors.ts';
import { readJson, validate } from '../../core/json/json-body.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { admitTo } from '../../core/webhooks/access.ts';
import { recover, recoveryBody } from '../../core/webhooks/recovery.ts';
import { recoverSchema } from '../../core/webhooks/request.ts';
import { keyOrSessionHandler } from '../../hosts/handlers.ts';

const readBody = async (request: Request) => validate(recoverSchema, (await readJson(request)).value);

export const handler = keyOrSessionHandler('platform', (resources) => {
  const access = { ...resources, subscriptions: createSubscriptionStore(resources) };
  const { clock } = resources;
  const deliveries = createDeliveryStore(resources);
  const triggers = createTriggerSender(createQueueClient(), resources.environment);
  return async (request, { pathParameters: { id = '' } }) => {
    const { subscription, input, headers } = await admitTo(access, request, id, readBody);
    const message = 'The webhook is disabled: set its status to active first.';
    if (subscription.status !== 'active') throw new ServiceError('conflict', message, { headers });
    const recovered = await recover({ clock, deliveries, triggers }, id, input.since);
    return jsonResponse(recoveryBody(id, recovered), headers, 202);
  };
});
