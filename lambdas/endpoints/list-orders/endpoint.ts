/** `GET /api/orders`: the orders of the account that is signed in, newest first. */
import { authenticateSession, type Sessions } from '../../core/access/session.ts';
import { pageBody, queryOf } from '../../core/api/paging.ts';
import { validate } from '../../core/json/json-body.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { orderEntry } from '../../core/payments/order.ts';
import { ordersQuery } from '../../core/payments/order-requests.ts';
import type { OrderStore } from '../../core/payments/ports.ts';
import type { Endpoint } from '../../core/ports.ts';

export interface ListOrdersDependencies {
  readonly sessions: Pick<Sessions, 'verify'>;
  readonly store: Pick<OrderStore, 'list'>;
}

export function listOrders({ sessions, store }: ListOrdersDependencies): Endpoint {
  return async (request) => {
    const accountId = await authenticateSession(request.headers, sessions);
    const { limit, cursor } = validate(ordersQuery, queryOf(request));
    const { orders, next } = await store.list(accountId, limit, cursor);
    return jsonResponse(pageBody({ entries: orders, next }, orderEntry));
  };
}
