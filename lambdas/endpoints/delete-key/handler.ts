/** Wires `DELETE /api-keys/{id}` for Lambda. */
import { createKeyRegistry } from '../../adapters/access/create-accounts.ts';
import { createSessions } from '../../adapters/access/session-tokens.ts';
import { createDynamoClients } from '../../adapters/aws/clients.ts';
import { createLog } from '../../adapters/system/logger.ts';
import { systemClock, systemUlid } from '../../adapters/system/system.ts';
import { ApiKeys } from '../../core/access/api-keys.ts';
import { front } from '../../edge/front.ts';
import { buffered } from '../../edge/pipelines.ts';
import { deleteKey } from './endpoint.ts';

const log = createLog();
const environment = process.env;
const clients = createDynamoClients();
const { sessions } = createSessions({ clients, environment, log });
const keys = new ApiKeys(createKeyRegistry({ clients, environment }));

const endpoint = deleteKey({ sessions, keys });

export const handler = buffered(front(endpoint, 'platform', { clock: systemClock, ulid: systemUlid, log }));
