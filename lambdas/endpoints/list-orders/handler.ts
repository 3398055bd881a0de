/** Wires `GET /api/orders` for Lambda. */
import { createDynamoClients } from '../../adapters/clients.ts';
import { createLog } from '../../adapters/logger.ts';
import { createOrderStore } from '../../adapters/orders.ts';
import { createSessions } from '../../adapters/session-tokens.ts';
import { systemClock, systemUlid } from '../../adapters/system.ts';
import { front } from '../../edge/front.ts';
import { buffered } from '../../edge/pipelines.ts';
import { listOrders } from './endpoint.ts';

const log = createLog();
const environment = process.env;
const clients = createDynamoClients();
const { sessions } = createSessions({ clients, environment, log });

const endpoint = listOrders({
  sessions,
  store: createOrderStore({ clients, environment }),
});

export const handler = buffered(front(endpoint, 'platform', { clock: systemClock, ulid: systemUlid, log }));
