/** Wires `GET /health` for Lambda. */
import { createCatalog, createCatalogProbe } from '../../adapters/inference/catalog-store.ts';
import { VERSION } from '../../contract/limits.ts';
import { publicHandler } from '../../hosts/handlers.ts';
import { getHealth } from './endpoint.ts';

export const handler = publicHandler('platform', (resources) => {
  const options = { ...resources, ...resources.clients };
  return getHealth({ catalog: createCatalog(options), probe: createCatalogProbe(options), version: VERSION });
});
