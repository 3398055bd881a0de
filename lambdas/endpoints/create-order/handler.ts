/** Wires `POST /api/create-order` for Lambda. */
import { createDynamoClients } from '../../adapters/clients.ts';
import { createLog } from '../../adapters/logger.ts';
import { createOrderStore } from '../../adapters/orders.ts';
import { createSessions } from '../../adapters/session-tokens.ts';
import { StripePayments } from '../../adapters/stripe-payments.ts';
import { systemClock, systemUlid } from '../../adapters/system.ts';
import { front } from '../../edge/front.ts';
import { buffered } from '../../edge/pipelines.ts';
import { createOrderEndpoint } from './endpoint.ts';

const log = createLog();
const environment = process.env;
const clients = createDynamoClients();
const clock = systemClock;
const { sessions, readSecret } = createSessions({ clients, environment, log });

const endpoint = createOrderEndpoint({
  sessions,
  store: createOrderStore({ clients, environment }),
  provider: new StripePayments({ environment, readSecret, clock, log }),
  clock,
  ulid: systemUlid,
});

export const handler = buffered(front(endpoint, 'platform', { clock, ulid: systemUlid, log }));
