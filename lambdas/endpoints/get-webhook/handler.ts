/** `GET /api/v1/webhooks/{id}`: one subscription, with the results of its latest deliveries. */
import {
  createDeliveryStore,
  createSubscriptionStore,
} from '../../adapters/webhooks/create-webhook-stores.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { admitTo, nothing } from '../../core/webhooks/access.ts';
import { deliveryStatistics, STATISTICS_WINDOW } from '../../core/webhooks/statistics.ts';
import { subscriptionEntry } from '../../core/webhooks/subscription.ts';
import { keyOrSessionHandler } from '../../hosts/handlers.ts';

export const handler = keyOrSessionHandler('platform', (resources) => {
  const access = { ...resources, subscriptions: createSubscriptionStore(resources) };
  const deliveries = createDeliveryStore(resources);
  return async (request, { pathParameters: { id = '' } }) => {
    const { subscription, headers } = await admitTo(access, request, id, nothing);
    const latest = { webhookId: id, limit: STATISTICS_WINDOW, order: 'newest' } as const;
    const stats = deliveryStatistics((await deliveries.list(latest)).entries);
    return jsonResponse({ ...subscriptionEntry(subscription), stats }, headers);
  };
});
