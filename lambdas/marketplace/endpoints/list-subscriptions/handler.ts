/** `GET /api/v1/subscriptions`: the account's subscriptions, or those to one of its listings; newest first. */

import { sessionHandler } from '../../../access/handlers/handlers.ts';
import { pageBody, queryOf } from '../../../platform/core/api/paging.ts';
import { validate } from '../../../platform/core/json/json-body.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { planSubscriptionEntry, subscriptionsQuery } from '../../core/subscriptions/requests.ts';
import { listSubscriptions } from '../../core/subscriptions/subscriptions.ts';
import { createSubscriptionStore } from '../../store/create-subscriptions.ts';

export const handler = sessionHandler('platform', (resources) => {
  const store = createSubscriptionStore(resources);
  return async (request, { session: { accountId } }) => {
    const {
      role,
      listing_id: listingId,
      limit,
      cursor: after,
    } = validate(subscriptionsQuery, queryOf(request));
    const page = await listSubscriptions(store, accountId, { role, listingId, limit, after });
    return jsonResponse(pageBody(page, planSubscriptionEntry));
  };
});
