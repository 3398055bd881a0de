/** `GET /api/v1/webhooks/{id}/deliveries`: deliveries and their attempts, newest event first. */

import { keyOrSessionHandler } from '../../../access/handlers/handlers.ts';
import { pageBody, queryOf, ulidPageQuery } from '../../../platform/core/api/paging.ts';
import { validate } from '../../../platform/core/json/json-body.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { admitTo } from '../../core/access.ts';
import { deliveryEntry } from '../../core/delivery.ts';
import { createDeliveryStore, createSubscriptionStore } from '../../store/create-webhook-stores.ts';

const query = ulidPageQuery('dlv');
const readQuery = async (request: Pick<Request, 'url'>) => validate(query, queryOf(request));

export const handler = keyOrSessionHandler('platform', (resources) => {
  const access = { ...resources, subscriptions: createSubscriptionStore(resources) };
  const deliveries = createDeliveryStore(resources);
  return async (request, { pathParameters: { id = '' } }) => {
    const { input, headers } = await admitTo(access, request, id, readQuery);
    const { limit, cursor: after } = input;
    const page = await deliveries.list({ webhookId: id, limit, order: 'newest', after });
    return jsonResponse(pageBody(page, deliveryEntry), headers);
  };
});
