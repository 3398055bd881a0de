/** Wires `POST /api/v1/auth/sign-out` for Lambda. */

import { createSessions } from '../../adapters/access/session-tokens.ts';
import { createDynamoClients } from '../../adapters/aws/clients.ts';
import { createLog } from '../../adapters/system/logger.ts';
import { systemClock, systemUlid } from '../../adapters/system/system.ts';
import { front } from '../../edge/front.ts';
import { buffered } from '../../edge/pipelines.ts';
import { deleteSession } from './endpoint.ts';

const log = createLog();
const environment = process.env;
const clients = createDynamoClients();
const { sessions } = createSessions({ clients, environment, log });

const endpoint = deleteSession({ sessions });

export const handler = buffered(front(endpoint, 'platform', { clock: systemClock, ulid: systemUlid, log }));
