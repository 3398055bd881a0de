/** `GET /api/v1/subscriptions/{id}`: one of the account's subscriptions, with its charges, and the preview of a change. */

import { sessionHandler } from '../../../access/handlers/handlers.ts';
import { queryOf } from '../../../platform/core/api/paging.ts';
import { validate } from '../../../platform/core/json/json-body.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { nowSeconds } from '../../core/listings/actions.ts';
import { previewPlan } from '../../core/subscriptions/plan-change.ts';
import {
  chargedSubscriptionEntry,
  MAX_CHARGES,
  subscriptionQuery,
} from '../../core/subscriptions/requests.ts';
import { findSubscription } from '../../core/subscriptions/subscriptions.ts';
import { createListings } from '../../store/create-listings.ts';
import { createSubscriptionStore, readTimes } from '../../store/create-subscriptions.ts';

export const handler = sessionHandler('platform', (resources) => {
  const store = createSubscriptionStore(resources);
  const offers = { listings: createListings(resources), times: readTimes(resources.environment) };
  return async (request, { pathParameters: { id = '' }, session: { accountId } }) => {
    const { plan } = validate(subscriptionQuery, queryOf(request));
    const subscription = await findSubscription(store, { accountId, id });
    const now = nowSeconds(resources.clock);
    const [charges, preview] = await Promise.all([
      store.charges(subscription, MAX_CHARGES),
      plan === undefined ? undefined : previewPlan(offers, subscription, plan, now),
    ]);
    return jsonResponse(chargedSubscriptionEntry(subscription, charges, preview));
  };
});
