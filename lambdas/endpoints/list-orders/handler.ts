/** `GET /api/orders`: the orders of the account that is signed in, newest first. */

import { createOrderStore } from '../../adapters/payments/create-orders.ts';
import type { SessionEndpoint } from '../../core/access/session.ts';
import { pageBody, queryOf } from '../../core/api/paging.ts';
import { validate } from '../../core/json/json-body.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { orderEntry } from '../../core/payments/order.ts';
import { ordersQuery } from '../../core/payments/order-requests.ts';
import type { OrderStore } from '../../core/payments/ports.ts';
import { sessionHandler } from '../../hosts/handlers.ts';

function listOrders(store: Pick<OrderStore, 'list'>): SessionEndpoint {
  return async (request, { session: { accountId } }) => {
    const { limit, cursor } = validate(ordersQuery, queryOf(request));
    return jsonResponse(pageBody(await store.list(accountId, limit, cursor), orderEntry));
  };
}

export const handler = sessionHandler('platform', (resources) => listOrders(createOrderStore(resources)));
