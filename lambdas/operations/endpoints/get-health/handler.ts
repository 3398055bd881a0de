/** Wires `GET /health` for Lambda. */

import { publicHandler } from '../../../access/handlers/handlers.ts';
import { createCatalog, createCatalogProbe } from '../../../inference/store/catalog-store.ts';
import { RELEASE } from '../../../platform/contract/release.ts';
import { getHealth } from './endpoint.ts';

export const handler = publicHandler('platform', (resources) => {
  const options = { ...resources, ...resources.clients };
  return getHealth({ catalog: createCatalog(options), probe: createCatalogProbe(options), version: RELEASE });
});
