/** `POST /api/create-order`: an order of credit, and the checkout where it is paid. */

import { createOrderStore } from '../../adapters/payments/create-orders.ts';
import { StripePayments } from '../../adapters/payments/stripe-payments.ts';
import { readJson, validate } from '../../core/json/json-body.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { orderEntry } from '../../core/payments/order.ts';
import { createOrderRequest } from '../../core/payments/order-requests.ts';
import { createOrder } from '../../core/payments/orders.ts';
import { sessionHandler } from '../../hosts/handlers.ts';

export const handler = sessionHandler('platform', (resources) => {
  const orders = {
    ...resources,
    store: createOrderStore(resources),
    provider: new StripePayments(resources),
  };
  return async (request, { session: { accountId } }) => {
    const { amount } = validate(createOrderRequest, (await readJson(request)).value);
    return jsonResponse(orderEntry(await createOrder(orders, accountId, amount)), {}, 201);
  };
});
