/** `POST /api/v1/webhooks/{id}/deliveries/{delivery_id}/redeliver`: one more attempt now, whatever became of the others. */
import { jsonResponse } from '../../core/json/json-response.ts';
import type { Endpoint } from '../../core/ports.ts';
import { admit, notFound, type WebhookAccess } from '../../core/webhooks/access.ts';
import { deliveryEntry } from '../../core/webhooks/delivery.ts';
import { laneOf, triggerOf } from '../../core/webhooks/fan-out.ts';
import type { DeliveryStore, SubscriptionStore, TriggerQueue } from '../../core/webhooks/ports.ts';

export interface RedeliverWebhookDependencies extends WebhookAccess {
  readonly subscriptions: Pick<SubscriptionStore, 'get'>;
  readonly deliveries: Pick<DeliveryStore, 'get'>;
  readonly triggers: Pick<TriggerQueue, 'enqueue'>;
}

export function redeliverWebhook(dependencies: RedeliverWebhookDependencies): Endpoint {
  const { subscriptions, deliveries, triggers } = dependencies;
  return async (request, { pathParameters }) => {
    const { accountId, headers } = await admit(dependencies, request, async () => undefined);
    const { id = '', delivery_id: deliveryId = '' } = pathParameters;
    const subscription = await subscriptions.get({ accountId, id });
    if (subscription === undefined) throw notFound('webhook', headers);
    const delivery = await deliveries.get({ webhookId: id, id: deliveryId });
    if (delivery === undefined) throw notFound('delivery', headers);
    await triggers.enqueue([triggerOf(delivery, true)], laneOf(subscription));
    return jsonResponse(deliveryEntry(delivery), headers, 202);
  };
}
