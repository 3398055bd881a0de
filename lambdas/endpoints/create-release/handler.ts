/** Wires `POST /apps/{id}/releases` and `POST /ai-agents/{id}/releases` for Lambda. */
import { createDynamoClients } from '../../adapters/clients.ts';
import { createReleases } from '../../adapters/listings.ts';
import { createLog } from '../../adapters/logger.ts';
import { createSessions } from '../../adapters/session-tokens.ts';
import { systemClock, systemUlid } from '../../adapters/system.ts';
import { front } from '../../edge/front.ts';
import { buffered } from '../../edge/pipelines.ts';
import { createRelease } from './endpoint.ts';

const log = createLog();
const environment = process.env;
const clients = createDynamoClients();
const { sessions } = createSessions({ clients, environment, log });
const releases = createReleases({ clients, environment });

const endpoint = createRelease({ sessions, releases });

export const handler = buffered(front(endpoint, 'platform', { clock: systemClock, ulid: systemUlid, log }));
