/** Wires `GET /health` for Lambda. */
import { createCatalog, createCatalogProbe } from '../../adapters/catalog-store.ts';
import { createDynamoClients } from '../../adapters/clients.ts';
import { createLog } from '../../adapters/logger.ts';
import { systemClock, systemUlid } from '../../adapters/system.ts';
import { VERSION } from '../../contract/limits.ts';
import { front } from '../../edge/front.ts';
import { buffered } from '../../edge/pipelines.ts';
import { getHealth } from './endpoint.ts';

const log = createLog();
const options = { ...createDynamoClients(), environment: process.env, log };
const endpoint = getHealth({
  catalog: createCatalog(options),
  probe: createCatalogProbe(options),
  version: VERSION,
});

export const handler = buffered(front(endpoint, 'platform', { clock: systemClock, ulid: systemUlid, log }));
