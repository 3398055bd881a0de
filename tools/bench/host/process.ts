/** Starts the shared host, on a database and with the secrets that it would find in AWS. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { ROUTES } from '../../../lambdas/app/routes.ts';
import { REGION } from '../../local/assembly/intrinsics.ts';
import { ENGINE_CREDENTIALS } from '../../local/dynamodb/client.ts';
import { functionVariables } from '../bundles/environment.ts';
import { PEPPERS } from '../harness/service/account.ts';
import type { Database } from '../harness/service/database.ts';
import { PROGRAM } from './bundle.ts';

const EXPOSED = ROUTES.filter(({ api }) => api === 'inference').map(({ endpoint }) => endpoint);

export interface HostProcess {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
  /** Ends it where it is. */
  kill(): Promise<void>;
}

export interface HostOptions {
  readonly database: Database;
  /** The output folder of `bundleHost`. */
  readonly folder: string;
  readonly secretsUrl: string;
  /** Variables over those that it has in AWS. */
  readonly overrides?: Readonly<Record<string, string>>;
}

/** Answers every read of a secret with the peppers: the only secret that is not in the environment. */
export async function startSecrets(delayMs = 0): Promise<{ readonly url: string; close(): void }> {
  const server = createServer((request, response) => {
    request.resume();
    response.setHeader('content-type', 'application/x-amz-json-1.1');
    const secretResponse = JSON.stringify({ Name: 'pepper', SecretString: JSON.stringify(PEPPERS) });
    setTimeout(() => response.end(secretResponse), delayMs);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

export async function startHost({
  database,
  folder,
  secretsUrl,
  overrides = {},
}: HostOptions): Promise<HostProcess> {
  const child = fork(join(folder, PROGRAM), {
    execArgv: [],
    // What functions print goes where it costs no reader anything.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: {
      PATH: process.env.PATH ?? '',
      ...Object.assign({}, ...EXPOSED.map((name) => functionVariables(name))),
      ...database.environment,
      AWS_REGION: REGION,
      AWS_ACCESS_KEY_ID: ENGINE_CREDENTIALS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: ENGINE_CREDENTIALS.secretAccessKey,
      AWS_ENDPOINT_URL_DYNAMODB: database.endpoint,
      AWS_ENDPOINT_URL_SECRETS_MANAGER: secretsUrl,
      POWERTOOLS_SERVICE_NAME: 'inference-host',
      SIM_KEY: 'simulated',
      PORT: '0',
      HOST: '127.0.0.1',
      HOST_GRACE_SECONDS: '1',
      ...overrides,
    },
  });
  const [{ port }] = (await Promise.race([once(child, 'message'), failed(once(child, 'close'))])) as [
    { readonly port: number },
  ];
  const end = async (signal: NodeJS.Signals) => {
    const closed = once(child, 'close');
    child.kill(signal);
    await closed;
  };
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  };
}

async function failed(closed: Promise<unknown[]>): Promise<never> {
  throw new Error(`our host ended: ${(await closed)[0]}`);
}
