/** The routes of payment orders, and of the events of the payment provider. */
import { OPEN, OWNER, type Route } from '../platform/contract/route.ts';

export const PAYMENT_ROUTES = [
  {
    ...OWNER,
    method: 'POST',
    path: '/api/create-order',
    endpoint: 'create-order',
    purpose: 'open a payment order for a credit top-up',
  },
  {
    ...OWNER,
    method: 'GET',
    path: '/api/orders',
    endpoint: 'list-orders',
    purpose: 'the orders of the account, newest first',
  },
  {
    ...OWNER,
    method: 'GET',
    path: '/api/orders/{order_id}',
    endpoint: 'get-order',
    purpose: 'one order, with its status',
  },
  {
    ...OPEN,
    method: 'POST',
    path: '/api/payments/{provider}/events',
    endpoint: 'receive-payment-event',
    purpose: 'receives the payment provider’s signed events',
  },
] as const satisfies readonly Route[];
