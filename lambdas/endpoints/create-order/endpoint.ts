/** `POST /api/create-order`: an order of credit, and the checkout where it is paid. */
import type { SessionEndpoint } from '../../core/access/session.ts';
import { readJson, validate } from '../../core/json/json-body.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { orderEntry } from '../../core/payments/order.ts';
import { createOrderRequest } from '../../core/payments/order-requests.ts';
import { createOrder, type OrderDependencies } from '../../core/payments/orders.ts';

export function createOrderEndpoint(orders: OrderDependencies): SessionEndpoint {
  return async (request, { session: { accountId } }) => {
    const { amount } = validate(createOrderRequest, (await readJson(request)).value);
    return jsonResponse(orderEntry(await createOrder(orders, accountId, amount)), {}, 201);
  };
}
