/** Wires `POST /api/payments/{provider}/events` for Lambda. */
import { createSecretsClient } from '../../adapters/aws/clients.ts';
import { createSecretReader } from '../../adapters/aws/secrets.ts';
import { createOrderStore } from '../../adapters/payments/create-orders.ts';
import { StripePayments } from '../../adapters/payments/stripe-payments.ts';
import { publicHandler } from '../../hosts/handlers.ts';
import { receivePaymentEvent } from './endpoint.ts';

export const handler = publicHandler('platform', (resources) => {
  const readSecret = createSecretReader({ ...resources, client: createSecretsClient() });
  const stripe = new StripePayments({ ...resources, readSecret });
  return receivePaymentEvent({ providers: { stripe }, store: createOrderStore(resources) });
});
