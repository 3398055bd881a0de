/** The check of maintenance mode, once per process. */
import { createParameters } from '../aws/parameters.ts';
import { requireVariable, VARIABLES } from '../contract/environment.ts';
import { OPEN_VALUE } from '../contract/maintenance.ts';
import { createOpenCheck, type OpenCheck } from '../core/open-check.ts';
import { createDataResources, oncePerEnvironment } from './resources.ts';

/** Returns the check. Throws an error that names the variable if the environment lacks it. */
export const openCheck = /* @__PURE__ */ oncePerEnvironment((environment): OpenCheck => {
  const { clients, clock } = createDataResources();
  const endpoint = environment.AWS_ENDPOINT_URL_SSM ?? environment.AWS_ENDPOINT_URL;
  const parameters = createParameters({ client: clients.client, endpoint });
  const name = requireVariable(environment, VARIABLES.maintenanceParameter);
  const isClosed = async () => ((await parameters.read(name)) ?? OPEN_VALUE) !== OPEN_VALUE;
  return createOpenCheck(isClosed, clock);
});
