/** Wires `GET /v1/usage` for Lambda. */
import { createAccess } from '../../adapters/access/peppers.ts';
import { createDynamoClients } from '../../adapters/aws/clients.ts';
import { createKeyGate } from '../../adapters/ledger/create-ledger.ts';
import { createUsageStore } from '../../adapters/ledger/usage-store.ts';
import { createLog } from '../../adapters/system/logger.ts';
import { systemClock, systemUlid } from '../../adapters/system/system.ts';
import { requireVariable } from '../../contract/environment.ts';
import { TABLES } from '../../contract/tables.ts';
import { front } from '../../edge/front.ts';
import { buffered } from '../../edge/pipelines.ts';
import { listUsage } from './endpoint.ts';

const log = createLog();
const environment = process.env;
const clients = createDynamoClients();
const { peppers } = createAccess({ environment, log });
const { gate } = createKeyGate({ clients, environment });
const usage = createUsageStore(clients.client, requireVariable(environment, TABLES.usage.variable));

const endpoint = listUsage({ peppers, gate, usage });

export const handler = buffered(front(endpoint, 'openai', { clock: systemClock, ulid: systemUlid, log }));
