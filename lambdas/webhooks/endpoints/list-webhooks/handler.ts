/** `GET /api/v1/webhooks`: the account's subscriptions, oldest first. */

import { keyOrSessionHandler } from '../../../access/handlers/handlers.ts';
import { pageBody, queryOf, ulidPageQuery } from '../../../platform/core/api/paging.ts';
import { validate } from '../../../platform/core/json/json-body.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { admit } from '../../core/access.ts';
import { subscriptionEntry } from '../../core/subscription.ts';
import { createSubscriptionStore } from '../../store/create-webhook-stores.ts';

const query = ulidPageQuery('wh');
const readQuery = async (request: Pick<Request, 'url'>) => validate(query, queryOf(request));

export const handler = keyOrSessionHandler('platform', (resources) => {
  const subscriptions = createSubscriptionStore(resources);
  return async (request) => {
    const { accountId, input, headers } = await admit(resources, request, readQuery);
    const { limit, cursor: after } = input;
    const page = await subscriptions.list({ accountId, limit, after });
    return jsonResponse(pageBody(page, subscriptionEntry), headers);
  };
});
