/** `GET /api/v1/operator/catalog`: the current catalog, and what it changed. */

import { operatorHandler } from '../../../access/handlers/handlers.ts';
import { catalogView } from '../../../inference/core/catalog/catalog-view.ts';
import { readLatestCatalogs } from '../../../inference/store/catalog-history.ts';
import { requireTable } from '../../../platform/contract/tables.ts';
import { ServiceError } from '../../../platform/core/errors.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';

export const handler = operatorHandler('platform', ({ clients, environment }) => {
  const table = requireTable(environment, 'catalog');
  return async () => {
    const { current, before } = await readLatestCatalogs(clients.client, table);
    if (current === undefined) throw new ServiceError('not_found', 'No catalog has been applied.');
    return jsonResponse(catalogView(current, before));
  };
});
