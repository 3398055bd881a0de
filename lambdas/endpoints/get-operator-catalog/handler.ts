/** `GET /api/v1/operator/catalog`: the current catalog, and what it changed. */
import { readLatestCatalogs } from '../../adapters/inference/catalog-history.ts';
import { requireTable } from '../../contract/tables.ts';
import { ServiceError } from '../../core/errors.ts';
import { catalogView } from '../../core/inference/catalog/catalog-view.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { operatorHandler } from '../../hosts/handlers.ts';

export const handler = operatorHandler('platform', ({ clients, environment }) => {
  const table = requireTable(environment, 'catalog');
  return async () => {
    const { current, before } = await readLatestCatalogs(clients.client, table);
    if (current === undefined) throw new ServiceError('not_found', 'No catalog has been applied.');
    return jsonResponse(catalogView(current, before));
  };
});
