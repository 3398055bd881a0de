/** Wires `POST /api/payments/{provider}/events` for Lambda. */
import { createDynamoClients, createSecretsClient } from '../../adapters/aws/clients.ts';
import { createSecretReader } from '../../adapters/aws/secrets.ts';
import { createOrderStore } from '../../adapters/payments/create-orders.ts';
import { StripePayments } from '../../adapters/payments/stripe-payments.ts';
import { createLog } from '../../adapters/system/logger.ts';
import { systemClock, systemUlid } from '../../adapters/system/system.ts';
import { front } from '../../edge/front.ts';
import { buffered } from '../../edge/pipelines.ts';
import { receivePaymentEvent } from './endpoint.ts';

const log = createLog();
const environment = process.env;
const clock = systemClock;
const readSecret = createSecretReader({ client: createSecretsClient(), environment, clock, log });

const endpoint = receivePaymentEvent({
  providers: { stripe: new StripePayments({ environment, readSecret, clock, log }) },
  store: createOrderStore({ clients: createDynamoClients(), environment }),
});

export const handler = buffered(front(endpoint, 'platform', { clock, ulid: systemUlid, log }));
