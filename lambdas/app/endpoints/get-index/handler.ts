/** `GET /`: the gateway index. */

import { staticHandler } from '../../../access/handlers/handlers.ts';
import { serviceIndex } from '../../../app/service-index.ts';
import { requireVariable, VARIABLES } from '../../../platform/contract/environment.ts';

export const handler = staticHandler('platform', ({ environment }) => {
  const name = requireVariable(environment, VARIABLES.serviceName);
  return async (request) => serviceIndex(request, name);
});
