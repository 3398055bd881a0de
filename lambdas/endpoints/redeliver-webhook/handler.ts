/** `POST /api/v1/webhooks/{id}/deliveries/{delivery_id}/redeliver`: one more attempt now, whatever the results of the others. */
import { createQueueClient } from '../../adapters/aws/clients.ts';
import {
  createDeliveryStore,
  createSubscriptionStore,
} from '../../adapters/webhooks/create-webhook-stores.ts';
import { createTriggerSender } from '../../adapters/webhooks/trigger-queue.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { admitTo, notFound, nothing } from '../../core/webhooks/access.ts';
import { deliveryEntry } from '../../core/webhooks/delivery.ts';
import { laneOf, triggerOf } from '../../core/webhooks/fan-out.ts';
import { keyOrSessionHandler } from '../../hosts/handlers.ts';

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
