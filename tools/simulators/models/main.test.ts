import { fork } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from '@jest/globals';

it('the upstream process prints its address, and ends when its parent disconnects', async () => {
  const env = { ...process.env, PORT: '0', NODE_OPTIONS: '' };
  const child = fork(`${import.meta.dirname}/main.ts`, { env, execArgv: [], silent: true });
  const exited = once(child, 'exit');
  const [line] = await once(child.stdout ?? child, 'data');
  const { url, control_url } = JSON.parse(String(line));
  expect([url, control_url]).toEqual([expect.stringMatching(/^http:\/\/127/), `${url}/control`]);
  child.disconnect();
  expect(await exited).toEqual([0, null]);
});
