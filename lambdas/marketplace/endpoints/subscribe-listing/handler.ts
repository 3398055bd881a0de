/** `POST /apps/{id}/subscribe`, and the same of `/ai-agents`: subscribes the account to a plan, at the amount that was shown. */

import { sessionHandler } from '../../../access/handlers/handlers.ts';
import { readJson, validate } from '../../../platform/core/json/json-body.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { kindOf } from '../../core/listings/listing.ts';
import { namesState, readIfMatch } from '../../core/listings/revision.ts';
import { planSubscriptionEntry, subscribeRequest } from '../../core/subscriptions/requests.ts';
import { subscribe } from '../../core/subscriptions/subscriptions.ts';
import { createSubscriptions } from '../../store/create-subscriptions.ts';

export const handler = sessionHandler('platform', (resources) => {
  const subscriptions = createSubscriptions(resources);
  return async (request, { pathParameters: { id = '' }, session: { accountId } }) => {
    const state = namesState(request.headers) ? readIfMatch(request.headers) : undefined;
    const { plan: planId, amount } = validate(subscribeRequest, (await readJson(request)).value);
    const listing = { kind: kindOf(request), id, accountId };
    const { entry, repeated } = await subscribe(subscriptions, listing, { planId, amount, state });
    return jsonResponse(planSubscriptionEntry(entry), {}, repeated ? 200 : 201);
  };
});
