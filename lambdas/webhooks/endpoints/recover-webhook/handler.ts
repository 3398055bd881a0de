/** `POST /api/v1/webhooks/{id}/recover`: restarts the dead deliveries of events since a time. */

import { keyOrSessionHandler } from '../../../access/handlers/handlers.ts';
import { createQueueClient } from '../../../platform/aws/clients.ts';
import { ServiceError } from '../../../platform/core/errors.ts';
import { readJson, validate } from '../../../platform/core/json/json-body.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import type { HttpRequest } from '../../../platform/core/ports.ts';
import { admitTo } from '../../core/access.ts';
import { recover, recoveryBody } from '../../core/recovery.ts';
import { recoverSchema } from '../../core/request.ts';
import { createDeliveryStore, createSubscriptionStore } from '../../store/create-webhook-stores.ts';
import { createTriggerSender } from '../../store/trigger-queue.ts';

const readBody = async (request: HttpRequest) => validate(recoverSchema, (await readJson(request)).value);

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
