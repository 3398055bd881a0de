/** Wires `GET /api/v1/operator/catalog` for Lambda. */
import { createLatestCatalogs } from '../../adapters/inference/latest-catalogs.ts';
import { operatorHandler } from '../../hosts/handlers.ts';
import { getOperatorCatalog } from './endpoint.ts';

export const handler = operatorHandler('platform', ({ clients, environment }) =>
  getOperatorCatalog(createLatestCatalogs(clients.client, environment)),
);
