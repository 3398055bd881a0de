/** `POST /api/v1/webhooks/{id}/deliveries/{delivery_id}/redeliver`: one more attempt now, whatever the results of the others. */
import { jsonResponse } from '../../core/json/json-response.ts';
import type { Endpoint } from '../../core/ports.ts';
import { admitTo, notFound, nothing, type SubscriptionAccess } from '../../core/webhooks/access.ts';
import { deliveryEntry } from '../../core/webhooks/delivery.ts';
import { laneOf, triggerOf } from '../../core/webhooks/fan-out.ts';
import type { DeliveryStore, TriggerQueue } from '../../core/webhooks/ports.ts';

export interface RedeliverWebhookDependencies extends SubscriptionAccess {
  readonly deliveries: Pick<DeliveryStore, 'get'>;
  readonly triggers: Pick<TriggerQueue, 'enqueue'>;
}

export function redeliverWebhook(dependencies: RedeliverWebhookDependencies): Endpoint {
  const { deliveries, triggers } = dependencies;
  return async (request, { pathParameters: { id = '', delivery_id: deliveryId = '' } }) => {
    const { subscription, headers } = await admitTo(dependencies, request, id, nothing);
    const delivery = await deliveries.get({ webhookId: id, id: deliveryId });
    if (delivery === undefined) throw notFound('delivery', headers);
    await triggers.enqueue([triggerOf(delivery, true)], laneOf(subscription));
    return jsonResponse(deliveryEntry(delivery), headers, 202);
  };
}
