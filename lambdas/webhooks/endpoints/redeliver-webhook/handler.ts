/** `POST /api/v1/webhooks/{id}/deliveries/{delivery_id}/redeliver`: one more attempt now, whatever the results of the others. */

import { keyOrSessionHandler } from '../../../access/handlers/handlers.ts';
import { createQueueClient } from '../../../platform/aws/clients.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { admitTo, notFound, nothing } from '../../core/access.ts';
import { deliveryEntry } from '../../core/delivery.ts';
import { laneOf, triggerOf } from '../../core/fan-out.ts';
import { createDeliveryStore, createSubscriptionStore } from '../../store/create-webhook-stores.ts';
import { createTriggerSender } from '../../store/trigger-queue.ts';

export const handler = keyOrSessionHandler('platform', (resources) => {
  const access = { ...resources, subscriptions: createSubscriptionStore(resources) };
  const deliveries = createDeliveryStore(resources);
  const triggers = createTriggerSender(createQueueClient(), resources.environment);
  return async (request, { pathParameters: { id = '', delivery_id: deliveryId = '' } }) => {
    const { subscription, headers } = await admitTo(access, request, id, nothing);
    const delivery = await deliveries.get({ webhookId: id, id: deliveryId });
    if (delivery === undefined) throw notFound('delivery', headers);
    await triggers.enqueue([triggerOf(delivery, true)], laneOf(subscription));
    return jsonResponse(deliveryEntry(delivery), headers, 202);
  };
});
