/** The variables that a function finds in Lambda, with names of nothing that exists. */
import { VARIABLES } from '../../../lambdas/platform/contract/environment.ts';
import { QUEUES } from '../../../lambdas/platform/contract/queues.ts';
import { TABLES, type TableName } from '../../../lambdas/platform/contract/tables.ts';
import { type FunctionName, GRANTS } from '../../../lib/config/grants.ts';

/** Nothing listens there: an init that calls AWS fails at once instead of reaching it. */
const NOWHERE = 'http://127.0.0.1:9';

type Grant = keyof (typeof GRANTS)[FunctionName];

/** The variables that a grant brings. */
const GRANTED: Partial<Readonly<Record<Grant, Readonly<Record<string, string>>>>> = {
  keyPepper: { [VARIABLES.keyPepperSecret]: 'none' },
  sessionKey: { [VARIABLES.sessionKeySecret]: 'none' },
  identityProviders: { [VARIABLES.identityProviders]: '{}' },
  identitySecret: { [VARIABLES.identitySecret]: 'none' },
  payments: {
    [VARIABLES.paymentSecret]: 'none',
    [VARIABLES.paymentApiUrl]: NOWHERE,
  },
  checkouts: { [VARIABLES.paymentReturnUrl]: NOWHERE },
  payouts: { [VARIABLES.marketPayouts]: 'none' },
  payoutProvider: {
    [VARIABLES.marketPayouts]: 'stripe',
    [VARIABLES.paymentSecret]: 'none',
    [VARIABLES.paymentApiUrl]: NOWHERE,
  },
  marketFee: { [VARIABLES.marketFeeBasisPoints]: '0' },
  builds: { [VARIABLES.buildsBucket]: 'none' },
  serviceName: { [VARIABLES.serviceName]: 'none' },
  uploadOrigin: { [VARIABLES.uploadOrigin]: NOWHERE },
  buildScan: { [VARIABLES.buildScan]: 'guardduty' },
  smokeAccess: { [VARIABLES.smokeSecret]: 'none', [VARIABLES.smokeModels]: 'none' },
  webhookKey: { [VARIABLES.webhookKeySecret]: 'none' },
  publishes: { [VARIABLES.eventBus]: 'none' },
  mails: {},
  schedules: {
    [VARIABLES.scheduleGroup]: 'none',
    [VARIABLES.scheduleRole]: 'none',
    [VARIABLES.deliveryClaimSeconds]: '40',
  },
  recordings: { [VARIABLES.recordingsBucket]: 'none', [VARIABLES.recordingsKey]: 'none' },
  recordingSweep: { [VARIABLES.recordingsBucket]: 'none' },
  settlements: { [VARIABLES.settlementWorkflow]: 'none' },
  holds: { [VARIABLES.holdTtlSeconds]: '1200' },
};

export function functionVariables(name: FunctionName): Record<string, string> {
  const grants = GRANTS[name];
  const { tables = {}, sends = [], counts = [] } = grants;
  const granted = Object.entries(GRANTED).filter(([grant]) => grants[grant as Grant]);
  return {
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'none',
    AWS_SECRET_ACCESS_KEY: 'none',
    AWS_ENDPOINT_URL: NOWHERE,
    POWERTOOLS_SERVICE_NAME: name,
    ...Object.fromEntries(
      (Object.keys(tables) as TableName[]).map((table) => [TABLES[table].variable, table]),
    ),
    ...Object.assign({}, ...granted.map(([, variables]) => variables)),
    ...Object.fromEntries([...sends, ...counts].map((queue) => [QUEUES[queue].variable, NOWHERE])),
  };
}
