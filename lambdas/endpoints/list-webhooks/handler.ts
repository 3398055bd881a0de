/** Wires `GET /api/v1/webhooks` for Lambda. */
import { createAccess } from '../../adapters/access/peppers.ts';
import { createDynamoClients } from '../../adapters/aws/clients.ts';
import { createKeyGate } from '../../adapters/ledger/create-ledger.ts';
import { createLog } from '../../adapters/system/logger.ts';
import { systemClock, systemUlid } from '../../adapters/system/system.ts';
import { DynamoSubscriptionStore } from '../../adapters/webhooks/subscription-store.ts';
import { requireVariable } from '../../contract/environment.ts';
import { TABLES } from '../../contract/tables.ts';
import { front } from '../../edge/front.ts';
import { buffered } from '../../edge/pipelines.ts';
import { listWebhooks } from './endpoint.ts';

const log = createLog();
const environment = process.env;
const clients = createDynamoClients();
const { peppers } = createAccess({ environment, log });
const { gate } = createKeyGate({ clients, environment });
const table = requireVariable(environment, TABLES.webhooks.variable);
const subscriptions = new DynamoSubscriptionStore(clients.client, table);

const endpoint = listWebhooks({ peppers, gate, subscriptions });

export const handler = buffered(front(endpoint, 'platform', { clock: systemClock, ulid: systemUlid, log }));
