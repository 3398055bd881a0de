/** Wires `POST /apps/{id}/install` and `POST /ai-agents/{id}/install` for Lambda. */
import { createDynamoClients } from '../../adapters/clients.ts';
import { createInstalls } from '../../adapters/listings.ts';
import { createLog } from '../../adapters/logger.ts';
import { createSessions } from '../../adapters/session-tokens.ts';
import { systemClock, systemUlid } from '../../adapters/system.ts';
import { front } from '../../edge/front.ts';
import { buffered } from '../../edge/pipelines.ts';
import { installListing } from './endpoint.ts';

const log = createLog();
const environment = process.env;
const clients = createDynamoClients();
const { sessions } = createSessions({ clients, environment, log });
const installs = createInstalls({ clients, environment });

const endpoint = installListing({ sessions, installs });

export const handler = buffered(front(endpoint, 'platform', { clock: systemClock, ulid: systemUlid, log }));
