import { fork } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '../test-kit/waiting.ts';
import { json, post, startFixture } from './testing/fixture/running.ts';
import { FIXTURE_TIMEOUT_MS, fixtureAssembly, temporaryFolder } from './testing/fixture/synthesize.ts';

let stateDir: string;

beforeAll(async () => {
  await fixtureAssembly();
  stateDir = await temporaryFolder('killed');
}, FIXTURE_TIMEOUT_MS);

afterAll(() => rm(stateDir, { recursive: true, force: true }));

const aws = async (url: string, target: string, input: unknown) =>
  json<{ readonly output: { readonly Item?: unknown } }>(await post(url, '/aws', { target, input }));

/** Throws if a resource is still alive after two seconds. */
async function end(isAlive: () => Promise<unknown>): Promise<void> {
  const read = () =>
    isAlive().then(
      () => true,
      () => false,
    );
  await until(read, (alive) => !alive);
}

describe('the runtime', () => {
  it('ends all its processes if it is killed, and retains every acknowledged write', async () => {
    const runner = fork(join(import.meta.dirname, 'testing', 'fixture', 'run.ts'), [stateDir], {
      execArgv: [],
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    const [line] = (await once(runner.stdout ?? runner, 'data')) as [Buffer];
    const { url, dynamodbEndpoint } = JSON.parse(line.toString()) as {
      url: string;
      dynamodbEndpoint: string;
    };
    const { environment } = await json<{ environment: Record<string, string> }>(await fetch(`${url}/echo`));
    const pid = Number(await (await post(url, '/misbehave', { way: 'pid' })).text());
    const table = environment.TABLE ?? '';
    const Item = { id: { S: 'kept' } };
    await aws(url, 'DynamoDB_20120810.PutItem', { TableName: table, Item });
    runner.kill('SIGKILL');
    await once(runner, 'exit');
    await end(() => fetch(dynamodbEndpoint));
    await end(async () => process.kill(pid, 0));
    const again = await startFixture({ stateDir });
    const read = await aws(again.url, 'DynamoDB_20120810.GetItem', { TableName: table, Key: Item });
    expect(read.output).toEqual({ Item });
    await again.close();
  });

  it('lets calls in flight end when it closes, for as long as the caller allows', async () => {
    const fixture = await startFixture();
    await post(fixture.url, '/misbehave', { way: 'pid' });
    const waiting = post(fixture.url, '/misbehave', { way: 'wait' });
    await sleep(100);
    const closing = fixture.close(5000);
    await expect(fetch(`${fixture.url}/echo`)).rejects.toThrow();
    expect(await (await waiting).text()).toBe('waited');
    await closing;
    await fixture.end();
  });

  it('cuts calls in flight when their time is up', async () => {
    const fixture = await startFixture();
    const response = await post(fixture.url, '/stream', { chunks: 10, gapMs: 100 });
    await fixture.close(50);
    await expect(response.text()).rejects.toThrow();
    await fixture.end();
  });

  it('ends what it had started when it cannot start', async () => {
    const squatter = createServer().listen(0, '127.0.0.1');
    await once(squatter, 'listening');
    const address = squatter.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    await expect(startFixture({ port })).rejects.toThrow('EADDRINUSE');
    squatter.close();
  });

  it('gives the variables that all its functions agree on', async () => {
    const fixture = await startFixture({ overrides: { HOLD: '5' } });
    expect(fixture.environment).toMatchObject({ TABLE: fixture.outputs.ThingsTable, HOLD: '5' });
    expect(fixture.environment).not.toHaveProperty('POWERTOOLS_SERVICE_NAME');
    await fixture.end();
  });
});
