/** `GET /api/orders`: the orders of the account that is signed in, newest first. */

import { createOrderStore } from '../../adapters/payments/create-orders.ts';
import { pageBody, queryOf } from '../../core/api/paging.ts';
import { validate } from '../../core/json/json-body.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { orderEntry } from '../../core/payments/order.ts';
import { ordersQuery } from '../../core/payments/order-requests.ts';
import { sessionHandler } from '../../hosts/handlers.ts';

export const handler = sessionHandler('platform', (resources) => {
  const store = createOrderStore(resources);
  return async (request, { session: { accountId } }) => {
    const { limit, cursor } = validate(ordersQuery, queryOf(request));
    return jsonResponse(pageBody(await store.list(accountId, limit, cursor), orderEntry));
  };
});
