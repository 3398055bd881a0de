/** Wires `GET /v1/models` for Lambda. */
import { createCatalog } from '../../adapters/inference/catalog-store.ts';
import { publicHandler } from '../../hosts/public-handler.ts';
import { listModels } from './endpoint.ts';

export const handler = publicHandler('openai', (resources) =>
  listModels(createCatalog({ ...resources, ...resources.clients })),
);
