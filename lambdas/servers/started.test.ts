import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { until } from '../../tools/test-kit/waiting.ts';
import { formatKey, SECRET_BYTES } from '../access/core/keys/api-key.ts';
import { VARIABLES } from '../platform/contract/environment.ts';
import { HOST_HEALTH_PATH } from '../platform/contract/inference-host.ts';
import { TABLES } from '../platform/contract/tables.ts';
import {
  type WireRequest,
  type WireResponder,
  wireServer,
} from '../platform/testing/connections/wire-server.ts';

const PEPPER = 'pepper';
const PEPPERS = { current: 'a pepper of 20 letters' };

const ULID = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const KEY = formatKey(
  { accountId: `acc_${ULID}`, keyId: `key_${ULID}`, secret: 'a'.repeat(2 * SECRET_BYTES) },
  PEPPERS,
);

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
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
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
  });
});

/** Responds as AWS does in a deployment without a catalog; a table of another name does not exist. */
const deployed: WireResponder = (response, { body }) => {
  const { TableName: table, SecretId: secret } = JSON.parse(body);
  if (secret === PEPPER) response.end(JSON.stringify({ SecretString: JSON.stringify(PEPPERS) }));
  else if (table === TABLES.catalog.variable) response.end('{}');
  else response.writeHead(400).end('{"__type":"ResourceNotFoundException","message":"no such table"}');
};

describe.each(['upload', 'inference'])('the program %s', (name) => {
  const aws = wireServer();

  async function run(environment: Readonly<Record<string, string>> = {}) {
    const program = start(name, { AWS_ENDPOINT_URL: aws.origin, ...environment });
    let printed = '';
    for (const stream of [program.stdout, program.stderr])
      stream?.on('data', (bytes) => {
        printed += String(bytes);
      });
    const linesWith = (text: string) => printed.split('\n').filter((line) => line.includes(text));
    const [{ port }] = (await once(program, 'message')) as [{ readonly port: number }];
    const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
    const health = async () => (await get(HOST_HEALTH_PATH)).status;
    return { program, port, get, health, linesWith };
  }

  it('responds to its balancer without a log line or a counted error, unlike any other path', async () => {
    aws.respond = deployed;
    const { get, health, linesWith } = await run();
    await until(health, (status) => status === 200);
    expect(await (await get(HOST_HEALTH_PATH)).text()).toBe('');
    expect((await get('/none')).status).toBe(404);
    const [line, ...otherLines] = await until(
      () => linesWith('"answered"'),
      ({ length }) => length > 0,
    );
    expect(line).toContain('not_found_error');
    expect(otherLines).toEqual([]);
    expect(linesWith('not ready')).toEqual([]);
  });

  it('reports itself unhealthy with the name of a table that does not exist, and logs the reason once', async () => {
    aws.respond = deployed;
    const { health, linesWith } = await run({ [TABLES.catalog.variable]: 'another-table' });
    const isRefused = ({ body }: WireRequest) => body.includes('another-table');
    const refused = async () => {
      expect(await health()).toBe(503);
      return aws.requests.filter(isRefused).length;
    };
    await until(
      () => linesWith('not ready'),
      ({ length }) => length > 0,
    );
    // A check that finds the program unready reads again.
    const before = await refused();
    await until(refused, (requests) => requests > before + 2);
    expect(linesWith('not ready')).toEqual([expect.stringContaining('ResourceNotFoundException')]);
  });

  it('reports itself unhealthy from SIGTERM on, and ends once no call is open', async () => {
    aws.respond = deployed;
    const { program, port, health } = await run();
    await until(health, (status) => status === 200);
    const held: ServerResponse[] = [];
    aws.respond = (response) => void held.push(response);
    const form = new FormData();
    form.append('model', 'none');
    form.append('file', new File(['audio'], 'a.wav'));
    const call = fetch(`http://127.0.0.1:${port}/v1/audio/transcriptions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}` },
      body: form,
    });
    // The call waits for its key.
    await until(
      () => held.length,
      (length) => length > 0,
    );
    const ended = once(program, 'exit');
    program.kill('SIGTERM');
    await until(health, (status) => status === 503);
    aws.respond = (response) => void response.writeHead(400).end('{"__type":"Refused"}');
    for (const response of held) response.writeHead(400).end('{"__type":"Refused"}');
    expect((await call).status).toBeGreaterThanOrEqual(400);
    expect(await ended).toEqual([0, null]);
  });

  it('stays healthy while the database and the secrets do not respond, once it has been', async () => {
    aws.respond = deployed;
    const { health } = await run();
    await until(health, (status) => status === 200);
    aws.respond = (response) => void response.writeHead(500).end('{"__type":"InternalServerError"}');
    aws.forget();
    expect([await health(), await health(), await health()]).toEqual([200, 200, 200]);
    expect(aws.requests).toEqual([]);
  });
});
