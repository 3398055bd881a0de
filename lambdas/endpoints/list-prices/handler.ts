/** Wires `GET /api/v1/models` for Lambda. */
import { createCatalog } from '../../adapters/inference/catalog-store.ts';
import { publicHandler } from '../../hosts/public-handler.ts';
import { listPrices } from './endpoint.ts';

export const handler = publicHandler('openai', (resources) =>
  listPrices(createCatalog({ ...resources, ...resources.clients })),
);
