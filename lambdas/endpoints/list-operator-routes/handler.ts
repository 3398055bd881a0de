/** `GET /api/v1/operator/routes`: every route of the current catalog with its circuit. */

import { DynamoCircuitStore } from '../../adapters/inference/circuit-store.ts';
import { DynamoUnbilledStore } from '../../adapters/ledger/usage/unbilled-store.ts';
import { requireTable } from '../../contract/tables.ts';
import type { SessionEndpoint } from '../../core/access/session.ts';
import { pageBody, queryOf } from '../../core/api/paging.ts';
import type { CatalogSource } from '../../core/inference/catalog/catalog.ts';
import type { CircuitList } from '../../core/inference/circuit/known-circuits.ts';
import { routesPage, routesQuery } from '../../core/inference/routing/route-list.ts';
import { validate } from '../../core/json/json-body.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import type { UnbilledStore } from '../../core/ledger/ports.ts';
import type { Clock } from '../../core/ports.ts';
import { operatorHandler } from '../../hosts/handlers.ts';
import { catalogSource } from '../../hosts/resources.ts';

interface ListOperatorRoutesDependencies {
  readonly catalog: CatalogSource;
  readonly circuits: CircuitList;
  readonly unbilled: Pick<UnbilledStore, 'list'>;
  readonly clock: Clock;
}

function listOperatorRoutes({
  catalog,
  circuits,
  unbilled,
  clock,
}: ListOperatorRoutesDependencies): SessionEndpoint {
  return async (request) => {
    const query = validate(routesQuery, queryOf(request));
    const [{ models }, failing, losses] = await Promise.all([catalog(), circuits.list(), unbilled.list()]);
    const found = { circuits: failing, unbilled: losses };
    return jsonResponse(pageBody(routesPage(models, found, query, clock()), (entry) => entry));
  };
}

export const handler = operatorHandler('platform', ({ clients, environment, clock }) => {
  const table = requireTable(environment, 'circuits');
  const circuits = new DynamoCircuitStore(clients.client, table, clock);
  const unbilled = new DynamoUnbilledStore(clients.client, table, clock);
  return listOperatorRoutes({ catalog: catalogSource(), circuits, unbilled, clock });
});
