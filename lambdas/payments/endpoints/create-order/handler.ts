/** `POST /api/create-order`: an order of credit, and the checkout where it is paid. */

import { sessionHandler } from '../../../access/handlers/handlers.ts';
import { readJson, validate } from '../../../platform/core/json/json-body.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { orderEntry } from '../../core/order.ts';
import { createOrderRequest } from '../../core/order-requests.ts';
import { createOrder } from '../../core/orders.ts';
import { createOrderStore } from '../../store/create-orders.ts';
import { StripePayments } from '../../store/stripe-payments.ts';

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
