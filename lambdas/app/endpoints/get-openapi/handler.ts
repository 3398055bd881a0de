/** `GET /openapi.json`: the description of the service, for tools. Its examples name the default models of the catalog in force. */
import { publicHandler } from '../../../access/handlers/handlers.ts';
import { describeService } from '../../../app/operations.ts';
import { catalogSource } from '../../../inference/handlers/catalog.ts';
import { MissingCatalog } from '../../../inference/store/catalog-store.ts';
import { requireVariable, VARIABLES } from '../../../platform/contract/environment.ts';

/** Five minutes: it changes with a deployment, and with the default models. */
const HEADERS = { 'content-type': 'application/json', 'cache-control': 'public, max-age=300' };

export const handler = publicHandler('platform', ({ environment }) => {
  const title = requireVariable(environment, VARIABLES.serviceName);
  const catalog = catalogSource();
  let described: { readonly version: string; readonly text: string } | undefined;
  return async () => {
    // A deployment is described before its first catalog, too.
    const { version, defaults: models } = await catalog().catch((failure) => {
      if (failure instanceof MissingCatalog) return { version: '', defaults: {} };
      throw failure;
    });
    if (described?.version !== version)
      described = { version, text: JSON.stringify(describeService({ title, models })) };
    return { headers: HEADERS, text: described.text };
  };
});
