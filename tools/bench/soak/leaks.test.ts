/** Processes that leak on purpose, sampled as those of a service. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect } from '@jest/globals';
import { onLinux } from '../../test-kit/on-linux.ts';
import { isBroken } from '../harness/report.ts';
import { growths } from './growth.ts';
import { SampledProcesses, samplerVariables } from './processes.ts';

const LEAKS = {
  nothing: { code: '', grows: [] },
  'memory-and-timers': {
    code: 'left.push(Buffer.alloc(200_000), setTimeout(() => {}, 1e9).unref())',
    grows: ['heap', 'timers'],
  },
  servers: {
    code: "left.push(require('node:net').createServer().listen(0, '127.0.0.1'))",
    grows: ['handles', 'files'],
  },
};

/** The first samples are of a process that has just started. */
const FIRST = 2;
const SAMPLES = 5;

const folder = mkdtempSync(join(tmpdir(), 'soak-leaks-'));
const children: ChildProcess[] = [];
afterAll(async () => {
  for (const child of children) {
    const closed = once(child, 'close');
    child.kill('SIGKILL');
    await closed;
  }
  rmSync(folder, { recursive: true });
});

/** Leaks once for each message, and answers it. */
const programOf = (code: string): string =>
  `const left = []; process.on('message', () => { ${code}; setImmediate(() => process.send('done')); });`;

function start(name: string, code: string): ChildProcess {
  const child = spawn(process.execPath, ['--no-warnings', '-e', programOf(code)], {
    env: { ...process.env, ...samplerVariables(folder), POWERTOOLS_SERVICE_NAME: name },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  children.push(child);
  return child;
}

async function leakOnce(child: ChildProcess): Promise<void> {
  const answered = once(child, 'message');
  child.send('leak');
  await answered;
}

describe('a sampled process', () => {
  onLinux(
    'shows a growth of exactly what it leaks',
    async () => {
      const processes = new SampledProcesses(folder);
      const started = Object.entries(LEAKS).map(([name, { code }]) => start(name, code));
      for (let at = 0; at < FIRST + SAMPLES; at += 1) {
        await Promise.all(started.map(leakOnce));
        await processes.sample();
      }
      const grown = processes.measured().map((measured) => [
        measured.process.split(' ')[0],
        growths({ ...measured, samples: measured.samples.slice(FIRST) }, '')
          .filter(isBroken)
          .map(({ name }) => name.split(': ')[1]),
      ]);
      expect(Object.fromEntries(grown)).toEqual(
        Object.fromEntries(Object.entries(LEAKS).map(([name, { grows }]) => [name, grows])),
      );
    },
    60_000,
  );
});
