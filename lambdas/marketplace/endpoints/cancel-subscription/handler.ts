/** `DELETE /api/v1/subscriptions/{id}`: ends a subscription at once, without a refund. */

import { sessionHandler } from '../../../access/handlers/handlers.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { planSubscriptionEntry } from '../../core/subscriptions/requests.ts';
import { cancelSubscription } from '../../core/subscriptions/subscriptions.ts';
import { createSubscriptions } from '../../store/create-subscriptions.ts';

export const handler = sessionHandler('platform', (resources) => {
  const subscriptions = createSubscriptions(resources);
  return async (_request, { pathParameters: { id = '' }, session: { accountId } }) =>
    jsonResponse(planSubscriptionEntry(await cancelSubscription(subscriptions, { accountId, id })));
});
