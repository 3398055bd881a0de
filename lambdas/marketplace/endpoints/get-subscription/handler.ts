/** `GET /api/v1/subscriptions/{id}`: one of the account's subscriptions, with its charges. */

import { sessionHandler } from '../../../access/handlers/handlers.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { chargedSubscriptionEntry, MAX_CHARGES } from '../../core/subscriptions/requests.ts';
import { findSubscription } from '../../core/subscriptions/subscriptions.ts';
import { createSubscriptionStore } from '../../store/subscriptions/create-subscriptions.ts';

export const handler = sessionHandler('platform', (resources) => {
  const store = createSubscriptionStore(resources);
  return async (_request, { pathParameters: { id = '' }, session: { accountId } }) => {
    const subscription = await findSubscription(store, { accountId, id });
    const charges = await store.charges(subscription, MAX_CHARGES);
    return jsonResponse(chargedSubscriptionEntry(subscription, charges));
  };
});
