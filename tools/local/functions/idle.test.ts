import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readAssembly } from '../assembly/assembly.ts';
import { FIXTURE_TIMEOUT_MS, fixtureAssembly } from '../testing/fixture/synthesize.ts';
import { functionEnvironment } from './environment.ts';
import { FunctionTimedOut } from './function-errors.ts';
import { FunctionHost } from './function-host.ts';

const IDLE_MS = 400;
const TIMEOUT_MS = 600;

/** Ends the time of the calls that have begun, in their order. */
const timeouts: (() => void)[] = [];

let host: FunctionHost;

beforeAll(async () => {
  const { functions } = readAssembly(await fixtureAssembly());
  const description = functions.find(({ name }) => name.includes('misbehave'));
  if (description === undefined) throw new Error('the fixture has no function misbehave');
  const environment = functionEnvironment({
    description,
    passedThrough: {},
    overrides: {},
    accessKeyId: 'local-admin',
    awsEndpoint: 'http://127.0.0.1:1',
    dynamodbEndpoint: 'http://127.0.0.1:1',
  });
  host = new FunctionHost({
    label: description.label,
    timeoutMs: TIMEOUT_MS,
    environment,
    log: () => {},
    idleMs: IDLE_MS,
    after: (_ms, run) => {
      timeouts.push(run);
      return () => {};
    },
  });
}, FIXTURE_TIMEOUT_MS);

afterAll(() => host.close());

async function invoke(mode: string): Promise<string> {
  const event = { body: JSON.stringify({ way: mode }) };
  return JSON.parse(await text(await host.invoke(Buffer.from(JSON.stringify(event)), 'id'))).body;
}

/** The id of the process that answers a call. */
const call = async (): Promise<number> => Number(await invoke('pid'));

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('the process of a function', () => {
  it('stays alive between calls and for the timeout of the last one, ends after the idle time, and starts again for the next call', async () => {
    const first = await call();
    for (let calls = 0; calls < 3; calls += 1) {
      await sleep(TIMEOUT_MS);
      expect(await call()).toBe(first);
    }
    await sleep(TIMEOUT_MS + IDLE_MS + 200);
    expect(isAlive(first)).toBe(false);
    expect(await call()).not.toBe(first);
  });
});

describe('a call that runs out of time', () => {
  it('ends with FunctionTimedOut, and the next call has a new process while other calls end in the old one', async () => {
    const old = await call();
    timeouts.splice(0);
    const hanging = invoke('hang').catch((failure: unknown) => failure);
    const holdCall = invoke('hold');
    while (timeouts.length < 2) await sleep(20);
    expect(await call()).toBe(old);
    timeouts[0]?.();
    expect(await hanging).toBeInstanceOf(FunctionTimedOut);
    expect(await call()).not.toBe(old);
    process.kill(old, 'SIGUSR2');
    expect(await holdCall).toBe('held');
  });
});
