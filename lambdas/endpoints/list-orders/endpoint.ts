/** `GET /api/orders`: the orders of the account that is signed in, newest first. */
import type { SessionEndpoint } from '../../core/access/session.ts';
import { pageBody, queryOf } from '../../core/api/paging.ts';
import { validate } from '../../core/json/json-body.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { orderEntry } from '../../core/payments/order.ts';
import { ordersQuery } from '../../core/payments/order-requests.ts';
import type { OrderStore } from '../../core/payments/ports.ts';

export function listOrders(store: Pick<OrderStore, 'list'>): SessionEndpoint {
  return async (request, { session: { accountId } }) => {
    const { limit, cursor } = validate(ordersQuery, queryOf(request));
    const { orders, next } = await store.list(accountId, limit, cursor);
    return jsonResponse(pageBody({ entries: orders, next }, orderEntry));
  };
}
