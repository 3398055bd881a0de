/** The routes of payment orders, and of the events of the payment provider. */
import { open, owner, type Route } from '../platform/contract/route.ts';

export const PAYMENT_ROUTES = [
  owner('POST /api/create-order', 'create-order', 'open a payment order for a credit top-up'),
  owner('GET /api/orders', 'list-orders', 'the orders of the account, newest first'),
  owner('GET /api/orders/{order_id}', 'get-order', 'one order, with its status'),
  open(
    'POST /api/payments/{provider}/events',
    'receive-payment-event',
    'receives the payment provider’s signed events',
  ),
] as const satisfies readonly Route[];
