import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { VARIABLES } from '../../lambdas/contract/environment.ts';
import { HOST_HEALTH_PATH } from '../../lambdas/contract/inference-host.ts';
import { TABLES } from '../../lambdas/contract/tables.ts';

/** Nothing of AWS answers: a program's health is its own. */
const ENVIRONMENT = {
  ...Object.fromEntries(Object.values(TABLES).map(({ variable }) => [variable, 'none'])),
  ...Object.fromEntries(Object.values(VARIABLES).map((variable) => [variable, 'none'])),
  [VARIABLES.holdTtlSeconds]: '1200',
  AWS_ENDPOINT_URL: 'http://127.0.0.1:9',
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'none',
  AWS_SECRET_ACCESS_KEY: 'none',
};

let child: ChildProcess | undefined;
afterEach(() => {
  child?.kill('SIGKILL');
});

describe.each(['upload', 'inference'])('the program %s', (name) => {
  it('answers its balancer without a line in its log or an error counted, unlike any other path', async () => {
    const program = fork(join(import.meta.dirname, '..', '..', 'lambdas', 'programs', `${name}.ts`), {
      env: { ...process.env, ...ENVIRONMENT, PORT: '0', HOST: '127.0.0.1' },
      execArgv: [],
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    child = program;
    let printed = '';
    program.stdout?.on('data', (bytes) => {
      printed += String(bytes);
    });
    const [{ port }] = (await once(program, 'message')) as [{ readonly port: number }];
    const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
    const answered = () => printed.split('\n').filter((line) => line.includes('"answered"'));
    const healthy = await get(HOST_HEALTH_PATH);
    expect([healthy.status, await healthy.text()]).toEqual([200, '']);
    expect((await get('/')).status).toBe(404);
    while (answered().length === 0) await once(program.stdout ?? program, 'data');
    expect(answered()).toHaveLength(1);
    expect(answered()[0]).toContain('not_found_error');
  }, 30_000);
});
