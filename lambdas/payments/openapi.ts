/** The descriptions of payment orders. */
import * as z from 'zod';
import { describeResponse, tagged } from '../platform/contract/operation.ts';
import { pageSchema } from '../platform/core/api/paging.ts';
import { orderSchema } from './core/order.ts';
import { createOrderRequest, ordersQuery } from './core/order-requests.ts';

export const PAYMENT_COMPONENTS = { Order: orderSchema, OrderPage: pageSchema(orderSchema) };

export const PAYMENT_OPERATIONS = tagged('Payments', {
  'create-order': {
    body: createOrderRequest,
    responses: {
      201: describeResponse('The order, to be paid at `checkout_url`.', PAYMENT_COMPONENTS.Order),
    },
  },
  'list-orders': {
    query: ordersQuery,
    responses: { 200: describeResponse('A page of orders.', PAYMENT_COMPONENTS.OrderPage) },
  },
  'get-order': { responses: { 200: describeResponse('The order.', PAYMENT_COMPONENTS.Order) } },
  'receive-payment-event': {
    description:
      'Called by the payment provider only. The signature over the raw body authenticates the event.',
    rawBody: 'application/json',
    responses: { 200: describeResponse('The event was accepted.', z.object({ received: z.literal(true) })) },
    errors: [401],
  },
});
