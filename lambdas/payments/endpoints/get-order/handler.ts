/** `GET /api/orders/{order_id}`: one order of the account that is signed in. */

import { sessionHandler } from '../../../access/handlers/handlers.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { orderEntry } from '../../core/order.ts';
import { ownOrder } from '../../core/orders.ts';
import { createOrderStore } from '../../store/create-orders.ts';

export const handler = sessionHandler('platform', (resources) => {
  const store = createOrderStore(resources);
  return async (_request, { pathParameters: { order_id: orderId = '' }, session: { accountId } }) => {
    return jsonResponse(orderEntry(await ownOrder(store, { accountId, orderId })));
  };
});
