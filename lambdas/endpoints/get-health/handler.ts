/** Wires `GET /health` for Lambda. */

import { createDynamoClients } from '../../adapters/aws/clients.ts';
import { createCatalog, createCatalogProbe } from '../../adapters/inference/catalog-store.ts';
import { createLog } from '../../adapters/system/logger.ts';
import { systemClock, systemUlid } from '../../adapters/system/system.ts';
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
