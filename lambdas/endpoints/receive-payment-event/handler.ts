/** Wires `POST /api/payments/{provider}/events` for Lambda. */
import { createDynamoClients, createSecretsClient } from '../../adapters/clients.ts';
import { createLog } from '../../adapters/logger.ts';
import { createOrderStore } from '../../adapters/orders.ts';
import { createSecretReader } from '../../adapters/secrets.ts';
import { StripePayments } from '../../adapters/stripe-payments.ts';
import { systemClock, systemUlid } from '../../adapters/system.ts';
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
