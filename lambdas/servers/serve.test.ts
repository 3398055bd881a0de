import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from '@jest/globals';
import { until } from '../../tools/test-kit/waiting.ts';

let children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  children = [];
});

async function start(environment: Readonly<Record<string, string>> = {}) {
  const program = fork(join(import.meta.dirname, 'testing', 'failing-program.ts'), {
    env: { ...process.env, PORT: '0', HOST: '127.0.0.1', ...environment },
    execArgv: [],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  children.push(program);
  const [{ port }] = (await once(program, 'message')) as [{ readonly port: number }];
  const get = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text();
  if (program.stdout === null) throw new Error('the program prints nothing');
  const health = () => get('/health');
  const isUnhealthy = () => until(health, (text) => text === 'unhealthy');
  /** Resolves once the call is open; its `response` arrives after `/release`. */
  const hold = async () => {
    const response = get('/held');
    await until(
      () => get('/held-calls'),
      (count) => count !== '0',
    );
    return { response };
  };
  return {
    program,
    get,
    health,
    isUnhealthy,
    hold,
    output: text(program.stdout),
    ended: once(program, 'exit'),
  };
}

describe('a program', () => {
  it('continues after an unhandled rejection, and logs only its location', async () => {
    const { program, get, health, hold, output } = await start();
    const { response } = await hold();
    expect(await get('/rejection')).toBe('rejected');
    expect(await get('/release')).toBe('released');
    expect(await response).toBe('well');
    expect(await health()).toBe('healthy');
    program.kill('SIGTERM');
    const printed = await output;
    expect(printed).toContain('unhandled rejection');
    expect(printed).toContain('failing-program');
    expect(printed).not.toContain('no log may show');
  });

  it('fails its health check after an uncaught exception, and serves until SIGTERM, at which it ends with 1', async () => {
    const { program, get, health, isUnhealthy, hold, output, ended } = await start();
    expect(await health()).toBe('healthy');
    const early = await hold();
    expect(await get('/exception')).toBe('thrown');
    await isUnhealthy();
    expect(await get('/exception')).toBe('thrown');
    await get('/release');
    expect(await early.response).toBe('well');
    const last = await hold();
    program.kill('SIGTERM');
    await get('/release');
    expect(await last.response).toBe('well');
    expect(await ended).toEqual([1, null]);
    expect((await output).match(/uncaught exception/g)).toHaveLength(2);
    await expect(get('/')).rejects.toThrow('fetch failed');
  });

  it('ends by itself with 1 when the time of its calls is over after an uncaught exception', async () => {
    const { get, ended } = await start({ HOST_GRACE_SECONDS: '1' });
    expect(await get('/exception')).toBe('thrown');
    expect(await ended).toEqual([1, null]);
  });

  it('ends at once after an uncaught exception while it is not ready', async () => {
    const { get, ended } = await start({ IS_READY: 'false' });
    await get('/exception');
    expect(await ended).toEqual([1, null]);
  });

  it('fails its health check at SIGTERM, and ends with 0 once its calls have their responses', async () => {
    const { program, get, isUnhealthy, hold, ended } = await start();
    const { response } = await hold();
    program.kill('SIGTERM');
    await isUnhealthy();
    await get('/release');
    expect(await response).toBe('well');
    expect(await ended).toEqual([0, null]);
  });
});
