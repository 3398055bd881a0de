/** `GET /api/orders/{order_id}`: one order of the account that is signed in. */

import { createOrderStore } from '../../adapters/payments/create-orders.ts';
import type { SessionEndpoint } from '../../core/access/session.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { orderEntry } from '../../core/payments/order.ts';
import { ownOrder } from '../../core/payments/orders.ts';
import type { OrderStore } from '../../core/payments/ports.ts';
import { sessionHandler } from '../../hosts/handlers.ts';

function getOrder(store: Pick<OrderStore, 'find'>): SessionEndpoint {
  return async (_request, { pathParameters: { order_id: orderId = '' }, session: { accountId } }) => {
    return jsonResponse(orderEntry(await ownOrder(store, { accountId, orderId })));
  };
}

export const handler = sessionHandler('platform', (resources) => getOrder(createOrderStore(resources)));
