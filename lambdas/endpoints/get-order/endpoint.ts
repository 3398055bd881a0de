/** `GET /api/orders/{order_id}`: one order of the account that is signed in. */
import { authenticateSession, type Sessions } from '../../core/access/session.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { orderEntry } from '../../core/payments/order.ts';
import { ownOrder } from '../../core/payments/orders.ts';
import type { OrderStore } from '../../core/payments/ports.ts';
import type { Endpoint } from '../../core/ports.ts';

export interface GetOrderDependencies {
  readonly sessions: Pick<Sessions, 'verify'>;
  readonly store: Pick<OrderStore, 'find'>;
}

export function getOrder({ sessions, store }: GetOrderDependencies): Endpoint {
  return async (request, { pathParameters: { order_id: orderId = '' } }) => {
    const accountId = await authenticateSession(request.headers, sessions);
    return jsonResponse(orderEntry(await ownOrder(store, { accountId, orderId })));
  };
}
