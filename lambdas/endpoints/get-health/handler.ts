/** Wires `GET /health` for Lambda. */
import { createCatalog } from '../../adapters/catalog-store.ts';
import { createDynamoClients } from '../../adapters/clients.ts';
import { createLog } from '../../adapters/logger.ts';
import { systemClock, systemUlid } from '../../adapters/system.ts';
import { VERSION } from '../../contract/limits.ts';
import { front } from '../../edge/front.ts';
import { buffered } from '../../edge/pipelines.ts';
import { getHealth } from './endpoint.ts';

const log = createLog();
const catalog = createCatalog({ ...createDynamoClients(), environment: process.env, log });
const endpoint = getHealth(catalog, VERSION);

export const handler = buffered(front(endpoint, 'platform', { clock: systemClock, ulid: systemUlid, log }));
