/** `GET /api/v1/webhooks/{id}`: one subscription, with the results of its latest deliveries. */

import { keyOrSessionHandler } from '../../../access/handlers/handlers.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { admitTo, nothing } from '../../core/access.ts';
import { deliveryStatistics, STATISTICS_WINDOW } from '../../core/statistics.ts';
import { subscriptionEntry } from '../../core/subscription.ts';
import { createDeliveryStore, createSubscriptionStore } from '../../store/create-webhook-stores.ts';

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
