/** The catalog of a process. */
import { createDataResources, oncePerEnvironment } from '../../platform/handlers/resources.ts';
import { createCatalog } from '../store/catalog-store.ts';

/** Returns the catalog, one for all routes of a process. Throws an error that names the table's variable if it is not set. */
export const catalogSource = /* @__PURE__ */ oncePerEnvironment(() => {
  const resources = createDataResources();
  return createCatalog({ ...resources, ...resources.clients });
});
