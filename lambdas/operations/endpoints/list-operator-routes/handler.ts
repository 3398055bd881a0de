/** `GET /api/v1/operator/routes`: every route of the current catalog with its circuit. */

import { operatorHandler } from '../../../access/handlers/handlers.ts';
import { routesPage, routesQuery } from '../../../inference/core/routing/route-list.ts';
import { catalogSource } from '../../../inference/handlers/catalog.ts';
import { DynamoCircuitStore } from '../../../inference/store/circuit-store.ts';
import { DynamoUnbilledStore } from '../../../ledger/store/usage/unbilled-store.ts';
import { requireTable } from '../../../platform/contract/tables.ts';
import { pageBody, queryOf } from '../../../platform/core/api/paging.ts';
import { validate } from '../../../platform/core/json/json-body.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';

export const handler = operatorHandler('platform', ({ clients, environment, clock }) => {
  const table = requireTable(environment, 'circuits');
  const catalog = catalogSource();
  const circuits = new DynamoCircuitStore(clients.client, table, clock);
  const unbilled = new DynamoUnbilledStore(clients.client, table, clock);
  return async (request) => {
    const query = validate(routesQuery, queryOf(request));
    const [{ models }, failing, losses] = await Promise.all([catalog(), circuits.list(), unbilled.list()]);
    const routeState = { circuits: failing, unbilled: losses };
    return jsonResponse(pageBody(routesPage(models, routeState, query, clock()), (entry) => entry));
  };
});
