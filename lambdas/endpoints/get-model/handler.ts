/** Wires `GET /v1/models/{model}` for Lambda. */
import { createCatalog } from '../../adapters/inference/catalog-store.ts';
import { publicHandler } from '../../hosts/public-handler.ts';
import { getModel } from './endpoint.ts';

export const handler = publicHandler('openai', (resources) =>
  getModel(createCatalog({ ...resources, ...resources.clients })),
);
