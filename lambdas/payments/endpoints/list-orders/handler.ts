/** `GET /api/orders`: the orders of the account that is signed in, newest first. */

import { sessionHandler } from '../../../access/handlers/handlers.ts';
import { pageBody, queryOf } from '../../../platform/core/api/paging.ts';
import { validate } from '../../../platform/core/json/json-body.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { orderEntry } from '../../core/order.ts';
import { ordersQuery } from '../../core/order-requests.ts';
import { createOrderStore } from '../../store/create-orders.ts';

export const handler = sessionHandler('platform', (resources) => {
  const store = createOrderStore(resources);
  return async (request, { session: { accountId } }) => {
    const { limit, cursor } = validate(ordersQuery, queryOf(request));
    return jsonResponse(pageBody(await store.list(accountId, limit, cursor), orderEntry));
  };
});
