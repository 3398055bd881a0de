/** `GET /api/orders/{order_id}`: one order of the account that is signed in. */

import { createOrderStore } from '../../adapters/payments/create-orders.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { orderEntry } from '../../core/payments/order.ts';
import { ownOrder } from '../../core/payments/orders.ts';
import { sessionHandler } from '../../hosts/handlers.ts';

export const handler = sessionHandler('platform', (resources) => {
  const store = createOrderStore(resources);
  return async (_request, { pathParameters: { order_id: orderId = '' }, session: { accountId } }) => {
    return jsonResponse(orderEntry(await ownOrder(store, { accountId, orderId })));
  };
});
