/** Wires `DELETE /apps/{id}` and `DELETE /ai-agents/{id}` for Lambda. */
import { createDynamoClients } from '../../adapters/clients.ts';
import { createListings } from '../../adapters/listings.ts';
import { createLog } from '../../adapters/logger.ts';
import { createSessions } from '../../adapters/session-tokens.ts';
import { systemClock, systemUlid } from '../../adapters/system.ts';
import { front } from '../../edge/front.ts';
import { buffered } from '../../edge/pipelines.ts';
import { deleteListing } from './endpoint.ts';

const log = createLog();
const environment = process.env;
const clients = createDynamoClients();
const { sessions } = createSessions({ clients, environment, log });
const listings = createListings({ clients, environment });

const endpoint = deleteListing({ sessions, listings });

export const handler = buffered(front(endpoint, 'platform', { clock: systemClock, ulid: systemUlid, log }));
