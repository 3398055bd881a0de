/** The catalog, read by all routes of a process alike. */
import { createCatalog } from '../adapters/inference/catalog-store.ts';
import { oncePerEnvironment } from './once.ts';
import { createDataResources } from './resources.ts';

/** Throws an error that names the table's variable when it is not set. */
export const catalogSource = oncePerEnvironment(() => {
  const resources = createDataResources();
  return createCatalog({ ...resources, ...resources.clients });
});
