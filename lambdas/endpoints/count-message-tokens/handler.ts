/** Wires `POST /v1/messages/count_tokens` for Lambda. */
import { createAccess } from '../../adapters/access.ts';
import { createCatalog } from '../../adapters/catalog-store.ts';
import { createDynamoClients } from '../../adapters/clients.ts';
import { createKeyGate } from '../../adapters/ledger.ts';
import { createLog } from '../../adapters/logger.ts';
import { systemClock, systemUlid } from '../../adapters/system.ts';
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
