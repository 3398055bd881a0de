/** Wires `POST /api-keys` for Lambda. */

import { createKeyIssuer } from '../../adapters/access/create-accounts.ts';
import { createAccess } from '../../adapters/access/peppers.ts';
import { createSessions } from '../../adapters/access/session-tokens.ts';
import { createDynamoClients } from '../../adapters/aws/clients.ts';
import { createLog } from '../../adapters/system/logger.ts';
import { systemClock, systemUlid } from '../../adapters/system/system.ts';
import { front } from '../../edge/front.ts';
import { buffered } from '../../edge/pipelines.ts';
import { createKey } from './endpoint.ts';

const log = createLog();
const environment = process.env;
const clients = createDynamoClients();
const { peppers } = createAccess({ environment, log });
const { sessions } = createSessions({ clients, environment, log });
const issuer = createKeyIssuer({ clients, environment, peppers });

const endpoint = createKey({ sessions, issuer, clock: systemClock });

export const handler = buffered(front(endpoint, 'platform', { clock: systemClock, ulid: systemUlid, log }));
