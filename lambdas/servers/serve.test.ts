import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from '@jest/globals';

let child: ChildProcess | undefined;
afterEach(() => {
  child?.kill('SIGKILL');
});

async function start() {
  const program = fork(join(import.meta.dirname, 'testing', 'failing-program.ts'), {
    env: { ...process.env, PORT: '0', HOST: '127.0.0.1', HOST_GRACE_SECONDS: '5' },
    execArgv: [],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  child = program;
  const [{ port }] = (await once(program, 'message')) as [{ readonly port: number }];
  const get = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text();
  if (program.stdout === null) throw new Error('the program prints nothing');
  return { program, get, output: text(program.stdout), ended: once(program, 'exit') };
}

describe('a program', () => {
  it('continues after an unhandled rejection, and logs only its location', async () => {
    const { program, get, output } = await start();
    const slow = get('/slow');
    expect(await get('/rejection')).toBe('rejected');
    expect(await slow).toBe('well');
    expect(await get('/slow')).toBe('well');
    program.kill('SIGTERM');
    const printed = await output;
    expect(printed).toContain('unhandled rejection');
    expect(printed).toContain('failing-program');
    expect(printed).not.toContain('no log may show');
  }, 20_000);

  it('ends after an uncaught exception, once other calls have their responses', async () => {
    const { get, output, ended } = await start();
    const slow = get('/slow');
    expect(await get('/exception')).toBe('thrown');
    expect(await slow).toBe('well');
    expect(await ended).toEqual([1, null]);
    expect(await output).toContain('uncaught exception');
    await expect(get('/slow')).rejects.toThrow('fetch failed');
  }, 20_000);

  it('ends at SIGTERM with 0, once its calls have their responses', async () => {
    const { program, get, ended } = await start();
    const slow = get('/slow');
    await new Promise((resolve) => setTimeout(resolve, 200));
    program.kill('SIGTERM');
    expect(await slow).toBe('well');
    expect(await ended).toEqual([0, null]);
  }, 20_000);
});
