/** `GET /api/v1/webhooks/{id}`: one subscription, with the results of its latest deliveries. */
import { jsonResponse } from '../../core/json/json-response.ts';
import type { Endpoint } from '../../core/ports.ts';
import { admitTo, nothing, type SubscriptionAccess } from '../../core/webhooks/access.ts';
import type { DeliveryStore } from '../../core/webhooks/ports.ts';
import { deliveryStatistics, STATISTICS_WINDOW } from '../../core/webhooks/statistics.ts';
import { subscriptionEntry } from '../../core/webhooks/subscription.ts';

export interface GetWebhookDependencies extends SubscriptionAccess {
  readonly deliveries: Pick<DeliveryStore, 'list'>;
}

export function getWebhook(dependencies: GetWebhookDependencies): Endpoint {
  return async (request, { pathParameters: { id = '' } }) => {
    const { subscription, headers } = await admitTo(dependencies, request, id, nothing);
    const latest = { webhookId: id, limit: STATISTICS_WINDOW, order: 'newest' } as const;
    const stats = deliveryStatistics((await dependencies.deliveries.list(latest)).entries);
    return jsonResponse({ ...subscriptionEntry(subscription), stats }, headers);
  };
}
