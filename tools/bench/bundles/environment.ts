/** The variables that a function finds in Lambda, with names of nothing that exists. */
import { VARIABLES } from '../../../lambdas/platform/contract/environment.ts';
import { QUEUES } from '../../../lambdas/platform/contract/queues.ts';
import { TABLES, type TableName } from '../../../lambdas/platform/contract/tables.ts';
import { type FunctionName, GRANTS } from '../../../lib/config/grants.ts';

/** Nothing listens there: an init that calls AWS fails at once instead of reaching it. */
const NOWHERE = 'http://127.0.0.1:9';

export function functionVariables(name: FunctionName): Record<string, string> {
  const {
    tables = {},
    keyPepper,
    sessionKey,
    identityProviders,
    identitySecret,
    payments,
    holds,
    settlements,
  } = GRANTS[name];
  const { smokeAccess, webhookKey, sends = [], counts = [], publishes, schedules } = GRANTS[name];
  const granted = (Object.keys(tables) as TableName[]).map((table) => [TABLES[table].variable, table]);
  return {
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'none',
    AWS_SECRET_ACCESS_KEY: 'none',
    AWS_ENDPOINT_URL: NOWHERE,
    POWERTOOLS_SERVICE_NAME: name,
    ...Object.fromEntries(granted),
    ...(keyPepper ? { [VARIABLES.keyPepperSecret]: 'none' } : {}),
    ...(sessionKey ? { [VARIABLES.sessionKeySecret]: 'none' } : {}),
    ...(identityProviders ? { [VARIABLES.identityProviders]: '{}' } : {}),
    ...(identitySecret ? { [VARIABLES.identitySecret]: 'none' } : {}),
    ...(payments
      ? {
          [VARIABLES.paymentSecret]: 'none',
          [VARIABLES.paymentApiUrl]: NOWHERE,
          [VARIABLES.paymentReturnUrl]: NOWHERE,
        }
      : {}),
    ...(smokeAccess ? { [VARIABLES.smokeSecret]: 'none', [VARIABLES.smokeModels]: 'none' } : {}),
    ...(webhookKey ? { [VARIABLES.webhookKeySecret]: 'none' } : {}),
    ...Object.fromEntries(sends.map((queue) => [QUEUES[queue].variable, NOWHERE])),
    ...Object.fromEntries(counts.map((queue) => [QUEUES[queue].variable, NOWHERE])),
    ...(publishes ? { [VARIABLES.eventBus]: 'none' } : {}),
    ...(schedules
      ? {
          [VARIABLES.scheduleGroup]: 'none',
          [VARIABLES.scheduleRole]: 'none',
          [VARIABLES.deliveryLeaseSeconds]: '40',
        }
      : {}),
    ...(settlements ? { [VARIABLES.settlementWorkflow]: 'none' } : {}),
    ...(holds ? { [VARIABLES.holdTtlSeconds]: '1200' } : {}),
  };
}
