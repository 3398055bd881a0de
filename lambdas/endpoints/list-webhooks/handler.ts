/** `GET /api/v1/webhooks`: the account's subscriptions, oldest first. */
import { createSubscriptionStore } from '../../adapters/webhooks/create-webhook-stores.ts';
import { pageBody, queryOf, ulidPageQuery } from '../../core/api/paging.ts';
import { validate } from '../../core/json/json-body.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { admit } from '../../core/webhooks/access.ts';
import { subscriptionEntry } from '../../core/webhooks/subscription.ts';
import { keyOrSessionHandler } from '../../hosts/handlers.ts';

const query = ulidPageQuery('wh');
const readQuery = async (request: Request) => validate(query, queryOf(request));

export const handler = keyOrSessionHandler('platform', (resources) => {
  const subscriptions = createSubscriptionStore(resources);
  return async (request) => {
    const { accountId, input, headers } = await admit(resources, request, readQuery);
    const { limit, cursor: after } = input;
    const page = await subscriptions.list({ accountId, limit, after });
    return jsonResponse(pageBody(page, subscriptionEntry), headers);
  };
});
