/** Wires `POST /api/create-order` for Lambda. */

import { createSessions } from '../../adapters/access/session-tokens.ts';
import { createDynamoClients } from '../../adapters/aws/clients.ts';
import { createOrderStore } from '../../adapters/payments/create-orders.ts';
import { StripePayments } from '../../adapters/payments/stripe-payments.ts';
import { createLog } from '../../adapters/system/logger.ts';
import { systemClock, systemUlid } from '../../adapters/system/system.ts';
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
