import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from '@jest/globals';
import { VARIABLES } from '../platform/contract/environment.ts';
import { HOST_HEALTH_PATH } from '../platform/contract/inference-host.ts';
import { TABLES } from '../platform/contract/tables.ts';

const PEPPER = 'pepper';

/** Nothing of AWS answers: a program's health is its own. */
const ENVIRONMENT = {
  ...Object.fromEntries(Object.values(TABLES).map(({ variable }) => [variable, variable])),
  ...Object.fromEntries(Object.values(VARIABLES).map((variable) => [variable, 'none'])),
  [VARIABLES.holdTtlSeconds]: '1200',
  [VARIABLES.keyPepperSecret]: PEPPER,
  AWS_ENDPOINT_URL: 'http://127.0.0.1:9',
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'none',
  AWS_SECRET_ACCESS_KEY: 'none',
};

let child: ChildProcess | undefined;
afterEach(() => {
  child?.kill('SIGKILL');
});

function start(name: string, environment: Readonly<Record<string, string>> = {}): ChildProcess {
  child = fork(join(import.meta.dirname, `${name}.ts`), {
    env: { ...process.env, ...ENVIRONMENT, ...environment, PORT: '0', HOST: '127.0.0.1' },
    execArgv: [],
    stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
  });
  return child;
}

/** Starts a fake AWS that records each request of a program by the name of the table or the secret. */
async function startAws() {
  const requestedNames = new Set<string>();
  const server = createServer(async (request, response) => {
    const { TableName, SecretId } = (await json(request)) as Readonly<Record<string, string>>;
    requestedNames.add(TableName ?? SecretId ?? '');
    response.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' }).end('{"__type":"Refused"}');
    server.emit('requested');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { requestedNames, server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

describe('the data for the first call of a process', () => {
  it('loads while the process starts: the pepper and the catalog', async () => {
    const { requestedNames, server, url } = await startAws();
    const program = start('upload', { AWS_ENDPOINT_URL: url });
    await once(program, 'message');
    const required = [TABLES.catalog.variable, PEPPER];
    while (!required.every((name) => requestedNames.has(name))) await once(server, 'requested');
    // The program itself received no request.
    expect([...requestedNames].sort()).toEqual(required.sort());
    server.close().closeAllConnections();
  }, 30_000);
});

describe.each(['upload', 'inference'])('the program %s', (name) => {
  it('responds to its balancer without a log line or a counted error, unlike any other path', async () => {
    const program = start(name);
    let printed = '';
    program.stdout?.on('data', (bytes) => {
      printed += String(bytes);
    });
    const [{ port }] = (await once(program, 'message')) as [{ readonly port: number }];
    const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
    const answeredLines = () => printed.split('\n').filter((line) => line.includes('"answered"'));
    const healthy = await get(HOST_HEALTH_PATH);
    expect([healthy.status, await healthy.text()]).toEqual([200, '']);
    expect((await get('/')).status).toBe(404);
    while (answeredLines().length === 0) await once(program.stdout ?? program, 'data');
    expect(answeredLines()).toHaveLength(1);
    expect(answeredLines()[0]).toContain('not_found_error');
  }, 30_000);
});
