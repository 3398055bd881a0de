import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { until } from '../../tools/test-kit/waiting.ts';
import { wireServer } from '../inference/testing/providers/wire-server.ts';
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

describe('the data for the first call of a process', () => {
  const aws = wireServer();

  it('loads while the process starts: the pepper and the catalog', async () => {
    aws.respond = (response) => void response.writeHead(400).end('{"__type":"Refused"}');
    await once(start('upload', { AWS_ENDPOINT_URL: aws.origin }), 'message');
    const required = [TABLES.catalog.variable, PEPPER].sort();
    const requestedNames = () =>
      aws.requests.map(({ body }): string => {
        const { TableName, SecretId } = JSON.parse(body);
        return TableName ?? SecretId;
      });
    await until(requestedNames, (names) => required.every((name) => names.includes(name)));
    // The program itself received no request.
    expect([...new Set(requestedNames())].sort()).toEqual(required);
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
