/** `POST /api/create-order`: an order of credit, and the checkout where it is paid. */

import { createOrderStore } from '../../adapters/payments/create-orders.ts';
import { StripePayments } from '../../adapters/payments/stripe-payments.ts';
import type { SessionEndpoint } from '../../core/access/session.ts';
import { readJson, validate } from '../../core/json/json-body.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { orderEntry } from '../../core/payments/order.ts';
import { createOrderRequest } from '../../core/payments/order-requests.ts';
import { createOrder, type OrderDependencies } from '../../core/payments/orders.ts';
import { sessionHandler } from '../../hosts/handlers.ts';

function createOrderEndpoint(orders: OrderDependencies): SessionEndpoint {
  return async (request, { session: { accountId } }) => {
    const { amount } = validate(createOrderRequest, (await readJson(request)).value);
    return jsonResponse(orderEntry(await createOrder(orders, accountId, amount)), {}, 201);
  };
}

export const handler = sessionHandler('platform', (resources) =>
  createOrderEndpoint({
    ...resources,
    store: createOrderStore(resources),
    provider: new StripePayments(resources),
  }),
);
