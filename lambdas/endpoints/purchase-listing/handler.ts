/** Wires `POST /apps/{id}/purchase` and `POST /ai-agents/{id}/purchase` for Lambda. */
import { createDynamoClients } from '../../adapters/clients.ts';
import { createPurchases } from '../../adapters/listings.ts';
import { createLog } from '../../adapters/logger.ts';
import { createSessions } from '../../adapters/session-tokens.ts';
import { systemClock, systemUlid } from '../../adapters/system.ts';
import { front } from '../../edge/front.ts';
import { buffered } from '../../edge/pipelines.ts';
import { purchaseListing } from './endpoint.ts';

const log = createLog();
const environment = process.env;
const clients = createDynamoClients();
const { sessions } = createSessions({ clients, environment, log });
const purchases = createPurchases({ clients, environment });

const endpoint = purchaseListing({ sessions, purchases });

export const handler = buffered(front(endpoint, 'platform', { clock: systemClock, ulid: systemUlid, log }));
