/** Lambda handlers of the routes of the operator's view. */
import { readAccount } from '../adapters/access/account-item.ts';
import { createSessions } from '../adapters/access/session-tokens.ts';
import type { Surface } from '../contract/route.ts';
import { requireTable } from '../contract/tables.ts';
import { withOperator } from '../core/access/operator-access.ts';
import type { SessionEndpoint } from '../core/access/session.ts';
import { buffered } from '../edge/pipelines.ts';
import { createRequestHandler } from '../edge/request-handler.ts';
import { createDataResources } from './resources.ts';
import type { SessionResources } from './session-handler.ts';

/** Serves an endpoint that runs only for an operator. Throws an error that names a variable that is not set. */
export function operatorHandler(surface: Surface, build: (resources: SessionResources) => SessionEndpoint) {
  const resources = createDataResources();
  const { sessions, readSecret } = createSessions(resources);
  const table = requireTable(resources.environment, 'accounts');
  const find = (accountId: string) => readAccount(resources.clients.client, table, accountId);
  const endpoint = withOperator({ sessions, find }, build({ ...resources, sessions, readSecret }));
  return buffered(createRequestHandler(endpoint, surface, resources));
}
