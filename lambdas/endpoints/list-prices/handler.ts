/** Wires `GET /api/v1/models` for Lambda. */

import { createDynamoClients } from '../../adapters/aws/clients.ts';
import { createCatalog } from '../../adapters/inference/catalog-store.ts';
import { createLog } from '../../adapters/system/logger.ts';
import { systemClock, systemUlid } from '../../adapters/system/system.ts';
import { front } from '../../edge/front.ts';
import { buffered } from '../../edge/pipelines.ts';
import { listPrices } from './endpoint.ts';

const log = createLog();
const catalog = createCatalog({ ...createDynamoClients(), environment: process.env, log });

export const handler = buffered(
  front(listPrices(catalog), 'openai', { clock: systemClock, ulid: systemUlid, log }),
);
