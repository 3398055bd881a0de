/** Wires `POST /apps/{id}/install` and `POST /ai-agents/{id}/install` for Lambda. */

import { createSessions } from '../../adapters/access/session-tokens.ts';
import { createDynamoClients } from '../../adapters/aws/clients.ts';
import { createInstalls } from '../../adapters/listings/create-listings.ts';
import { createLog } from '../../adapters/system/logger.ts';
import { systemClock, systemUlid } from '../../adapters/system/system.ts';
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
