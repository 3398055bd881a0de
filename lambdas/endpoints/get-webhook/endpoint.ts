/** `GET /api/v1/webhooks/{id}`: one subscription, with how its latest deliveries fared. */
import { jsonResponse } from '../../core/json/json-response.ts';
import type { Endpoint } from '../../core/ports.ts';
import { admit, notFound, type WebhookAccess } from '../../core/webhooks/access.ts';
import type { DeliveryStore, SubscriptionStore } from '../../core/webhooks/ports.ts';
import { deliveryStatistics, STATISTICS_WINDOW } from '../../core/webhooks/statistics.ts';
import { subscriptionEntry } from '../../core/webhooks/subscription.ts';

export interface GetWebhookDependencies extends WebhookAccess {
  readonly subscriptions: Pick<SubscriptionStore, 'get'>;
  readonly deliveries: Pick<DeliveryStore, 'list'>;
}

export function getWebhook(dependencies: GetWebhookDependencies): Endpoint {
  const { subscriptions, deliveries } = dependencies;
  return async (request, { pathParameters }) => {
    const { accountId, headers } = await admit(dependencies, request, async () => undefined);
    const subscription = await subscriptions.get({ accountId, id: pathParameters.id ?? '' });
    if (subscription === undefined) throw notFound('webhook', headers);
    const latest = await deliveries.list({
      webhookId: subscription.id,
      limit: STATISTICS_WINDOW,
      order: 'newest',
    });
    const stats = deliveryStatistics(latest.deliveries);
    return jsonResponse({ ...subscriptionEntry(subscription), stats }, headers);
  };
}
