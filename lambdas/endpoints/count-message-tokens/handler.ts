/** Wires `POST /v1/messages/count_tokens` for Lambda. */
import { createAccess } from '../../adapters/access/peppers.ts';
import { createDynamoClients } from '../../adapters/aws/clients.ts';
import { createCatalog } from '../../adapters/inference/catalog-store.ts';
import { createKeyGate } from '../../adapters/ledger/create-ledger.ts';
import { createLog } from '../../adapters/system/logger.ts';
import { systemClock, systemUlid } from '../../adapters/system/system.ts';
import { front } from '../../edge/front.ts';
import { buffered } from '../../edge/pipelines.ts';
import { countMessageTokens } from './endpoint.ts';

const log = createLog();
const environment = process.env;
const clients = createDynamoClients();
const { peppers } = createAccess({ environment, log });
const { gate } = createKeyGate({ clients, environment });
const catalog = createCatalog({ ...clients, environment, log });

const endpoint = countMessageTokens({ peppers, catalog, gate });

export const handler = buffered(front(endpoint, 'messages', { clock: systemClock, ulid: systemUlid, log }));
