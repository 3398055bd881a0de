/** Wires `GET /api/v1/auth/me` for Lambda. */
import { readAccount } from '../../adapters/account-item.ts';
import { createDynamoClients } from '../../adapters/clients.ts';
import { createLog } from '../../adapters/logger.ts';
import { createSessions } from '../../adapters/session-tokens.ts';
import { systemClock, systemUlid } from '../../adapters/system.ts';
import { requireVariable } from '../../contract/environment.ts';
import { TABLES } from '../../contract/tables.ts';
import { front } from '../../edge/front.ts';
import { buffered } from '../../edge/pipelines.ts';
import { getAccount } from './endpoint.ts';

const log = createLog();
const environment = process.env;
const clients = createDynamoClients();
const { sessions } = createSessions({ clients, environment, log });
const table = requireVariable(environment, TABLES.accounts.variable);

const endpoint = getAccount({ sessions, find: (accountId) => readAccount(clients.client, table, accountId) });

export const handler = buffered(front(endpoint, 'platform', { clock: systemClock, ulid: systemUlid, log }));
