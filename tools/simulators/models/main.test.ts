import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { chatRequest } from '../testing/models/running-upstream.ts';

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));
const env = { ...process.env, PORT: '0', NODE_OPTIONS: '' };

async function readyLine(child: ChildProcess): Promise<{ url: string; control_url: string }> {
  child.stdout?.setEncoding('utf8');
  for await (const text of child.stdout ?? []) return JSON.parse(text);
  throw new Error('the process ended without a ready line');
}

describe('the upstream process', () => {
  it('prints its address, serves, and ends on SIGTERM', async () => {
    const child = spawn(process.execPath, [MAIN], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    const exited = once(child, 'exit');
    try {
      const { url, control_url } = await readyLine(child);
      expect(control_url).toBe(`${url}/control`);
      expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
      const response = await fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: 'Bearer k' },
        body: JSON.stringify(chatRequest('x', 'fail-500')),
      });
      expect(response.status).toBe(500);
    } finally {
      child.kill('SIGTERM');
    }
    expect(await exited).toEqual([0, null]);
  });

  it('ends when its parent disconnects', async () => {
    const child = fork(MAIN, { env, execArgv: [], silent: true });
    const exited = once(child, 'exit');
    await readyLine(child);
    child.disconnect();
    expect(await exited).toEqual([0, null]);
  });
});
