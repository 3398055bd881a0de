/** Wires `POST /api/create-order` for Lambda. */
import { createOrderStore } from '../../adapters/payments/create-orders.ts';
import { StripePayments } from '../../adapters/payments/stripe-payments.ts';
import { sessionHandler } from '../../hosts/session-handler.ts';
import { createOrderEndpoint } from './endpoint.ts';

export const handler = sessionHandler('platform', (resources) =>
  createOrderEndpoint({
    ...resources,
    store: createOrderStore(resources),
    provider: new StripePayments(resources),
  }),
);
