/** `PATCH /api/v1/subscriptions/{id}`: changes the plan, or has the subscription end with its period. */

import { sessionHandler } from '../../../access/handlers/handlers.ts';
import { readJson, validate } from '../../../platform/core/json/json-body.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { planSubscriptionEntry, subscriptionUpdate, updateOf } from '../../core/subscriptions/requests.ts';
import { updateSubscription } from '../../core/subscriptions/subscriptions.ts';
import { createSubscriptions } from '../../store/create-subscriptions.ts';

export const handler = sessionHandler('platform', (resources) => {
  const subscriptions = createSubscriptions(resources);
  return async (request, { pathParameters: { id = '' }, session: { accountId } }) => {
    const update = updateOf(validate(subscriptionUpdate, (await readJson(request)).value));
    const subscription = await updateSubscription(subscriptions, { accountId, id }, update);
    return jsonResponse(planSubscriptionEntry(subscription));
  };
});
