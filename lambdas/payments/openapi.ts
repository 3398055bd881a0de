/** The descriptions of payment orders. */
import * as z from 'zod';
import { created, ok, tagged } from '../platform/contract/operation.ts';
import { pageSchema } from '../platform/core/api/paging.ts';
import { orderSchema } from './core/order.ts';
import { createOrderRequest, ordersQuery } from './core/order-requests.ts';

export const PAYMENT_COMPONENTS = { Order: orderSchema, OrderPage: pageSchema(orderSchema) };

export const PAYMENT_OPERATIONS = tagged('Payments', {
  'create-order': {
    body: createOrderRequest,
    example: { amount: 20, currency: 'USD' },
    responses: created('The order, to be paid at `checkout_url`.', orderSchema),
  },
  'list-orders': {
    query: ordersQuery,
    responses: ok('A page of orders.', PAYMENT_COMPONENTS.OrderPage),
  },
  'get-order': { responses: ok('The order.', orderSchema) },
  'receive-payment-event': {
    description:
      'Called by the payment provider only. The signature over the raw body authenticates the event.',
    rawBody: 'application/json',
    responses: ok('The event was accepted.', z.object({ received: z.literal(true) })),
    errors: [401],
  },
});
