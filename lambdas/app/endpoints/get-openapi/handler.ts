/** `GET /openapi.json`: the description of the service, for tools. */
import { staticHandler } from '../../../access/handlers/handlers.ts';
import { describeService } from '../../../app/operations.ts';
import { requireVariable, VARIABLES } from '../../../platform/contract/environment.ts';

/** An hour: it changes with a deployment only. */
const HEADERS = { 'content-type': 'application/json', 'cache-control': 'public, max-age=3600' };

export const handler = staticHandler('platform', ({ environment }) => {
  const text = JSON.stringify(describeService(requireVariable(environment, VARIABLES.serviceName)));
  return async () => ({ headers: HEADERS, text });
});
