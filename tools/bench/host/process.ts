/** Starts the shared host, on a database and with the secrets that it would find in AWS. */
import { join } from 'node:path';
import { ROUTES } from '../../../lambdas/app/routes.ts';
import { REGION } from '../../local/assembly/intrinsics.ts';
import { ENGINE_CREDENTIALS } from '../../local/dynamodb/client.ts';
import { type LoopbackServer, startLoopbackServer } from '../../simulators/loopback-server.ts';
import type { Database } from '../../test-kit/database.ts';
import { functionVariables } from '../bundles/environment.ts';
import { type ServiceProcess, startProgram } from '../harness/process.ts';
import { PEPPERS } from '../harness/service/account.ts';
import { PROGRAM } from './bundle.ts';

const EXPOSED = ROUTES.filter(({ api }) => api === 'inference').map(({ endpoint }) => endpoint);

export interface HostOptions {
  readonly database: Database;
  /** The output folder of `bundleHost`. */
  readonly folder: string;
  /** The server of `startSettings`. */
  readonly settingsUrl: string;
  /** Variables over those that it has in AWS. */
  readonly overrides: Readonly<Record<string, string>>;
}

/** The peppers: the only secret that is not in the environment. */
const SECRET = JSON.stringify({ Name: 'pepper', SecretString: JSON.stringify(PEPPERS) });

/** Answers every read of a secret. */
export const startSettings = (): Promise<LoopbackServer> =>
  startLoopbackServer((request, response) => {
    request.resume();
    response.setHeader('content-type', 'application/x-amz-json-1.1');
    response.end(SECRET);
  }, 0);

export const startHost = ({
  database,
  folder,
  settingsUrl,
  overrides,
}: HostOptions): Promise<ServiceProcess> =>
  startProgram(join(folder, PROGRAM), {
    PATH: process.env.PATH ?? '',
    ...Object.assign({}, ...EXPOSED.map((name) => functionVariables(name))),
    ...database.environment,
    AWS_REGION: REGION,
    AWS_ACCESS_KEY_ID: ENGINE_CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: ENGINE_CREDENTIALS.secretAccessKey,
    AWS_ENDPOINT_URL_DYNAMODB: database.endpoint,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: settingsUrl,
    POWERTOOLS_SERVICE_NAME: 'inference-host',
    SIM_KEY: 'simulated',
    PORT: '0',
    HOST: '127.0.0.1',
    HOST_GRACE_SECONDS: '1',
    ...overrides,
  });
