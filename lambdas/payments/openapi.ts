/** The descriptions of payment orders. */
import * as z from 'zod';
import { answer, tagged } from '../platform/contract/operation.ts';
import { pageSchema } from '../platform/core/api/paging.ts';
import { orderSchema } from './core/order.ts';
import { createOrderRequest, ordersQuery } from './core/order-requests.ts';

export const PAYMENT_COMPONENTS = { Order: orderSchema, OrderPage: pageSchema(orderSchema) };

export const PAYMENT_OPERATIONS = tagged('Payments', {
  'create-order': {
    body: createOrderRequest,
    answers: { 201: answer('The order, to be paid at `checkout_url`.', PAYMENT_COMPONENTS.Order) },
  },
  'list-orders': {
    query: ordersQuery,
    answers: { 200: answer('A page of orders.', PAYMENT_COMPONENTS.OrderPage) },
  },
  'get-order': { answers: { 200: answer('The order.', PAYMENT_COMPONENTS.Order) } },
  'receive-payment-event': {
    description:
      'Called by the payment provider only. The signature over the raw body authenticates the event.',
    rawBody: 'application/json',
    answers: { 200: answer('The event was accepted.', z.object({ received: z.literal(true) })) },
    errors: [401],
  },
});
