/** Wires `POST /api/payments/{provider}/events` for Lambda. */

import { publicHandler } from '../../../access/handlers/handlers.ts';
import { createSecretsClient } from '../../../platform/aws/clients.ts';
import { createSecretReader } from '../../../platform/aws/secrets.ts';
import { createOrderStore } from '../../store/create-orders.ts';
import { StripePayments } from '../../store/stripe-payments.ts';
import { receivePaymentEvent } from './endpoint.ts';

export const handler = publicHandler('platform', (resources) => {
  const readSecret = createSecretReader({ ...resources, client: createSecretsClient() });
  const stripe = new StripePayments({ ...resources, readSecret });
  return receivePaymentEvent({ providers: { stripe }, store: createOrderStore(resources) });
});
