import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { onLinux } from '../../test-kit/on-linux.ts';
import { temporaryFolder } from '../testing/fixture/synthesize.ts';
import { announce, occupy, retract, runningService } from './state-folder.ts';

let base: string;

beforeAll(async () => {
  base = await temporaryFolder('folder');
});

afterAll(() => rmSync(base, { recursive: true }));

const folder = (name: string) => {
  const path = join(base, name);
  mkdirSync(path, { recursive: true });
  return path;
};
const session = {
  base_url: 'u',
  platform_url: 'u',
  api_key: 'k',
  session_token: 'session',
  upstream_control_url: 'c',
  pid: process.pid,
};
const record = { aws_endpoint: 'a', dynamodb_endpoint: 'd', environment: {}, outputs: {} };

/** The id of a process that has ended. */
async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'exit');
  return child.pid ?? 0;
}

/** A process that has ended while its parent, which never collects its exit status, still runs. */
async function zombie(): Promise<{ readonly pid: number; readonly end: () => void }> {
  const parent = spawn('sh', ['-c', 'sleep 0.1 & echo $!; exec sleep 30'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [printed] = await once(parent.stdout, 'data');
  const pid = Number(printed);
  while (!/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))) await setTimeout(20);
  return { pid, end: () => parent.kill() };
}

describe('a state folder', () => {
  it('belongs to one process at a time, and the error names it', () => {
    const path = folder('one');
    const release = occupy(path);
    expect(() => occupy(path)).toThrow(`a service runs on ${path} already (process ${process.pid})`);
    expect(runningService(path)).toBe(process.pid);
    release();
    expect(runningService(path)).toBeUndefined();
    occupy(path)();
  });

  it('becomes free again if its process was killed', async () => {
    const path = folder('killed');
    writeFileSync(join(path, 'service.lock'), String(await deadPid()));
    writeFileSync(join(path, 'session.json'), JSON.stringify({ ...session, pid: await deadPid() }));
    expect(runningService(path)).toBeUndefined();
    const release = occupy(path);
    expect(existsSync(join(path, 'session.json'))).toBe(false);
    release();
  });

  onLinux('becomes free again when its process is dead and only its exit status is left', async () => {
    const { pid, end } = await zombie();
    try {
      const path = folder('zombie');
      writeFileSync(join(path, 'service.lock'), String(pid));
      writeFileSync(join(path, 'session.json'), JSON.stringify({ ...session, pid }));
      expect(() => process.kill(pid, 0)).not.toThrow();
      expect(runningService(path)).toBeUndefined();
      occupy(path)();
    } finally {
      end();
    }
  });

  onLinux('becomes free if the id of its process belongs to one that started later', () => {
    const path = folder('reused');
    const lock = join(path, 'service.lock');
    writeFileSync(lock, String(process.pid));
    utimesSync(lock, new Date('2020-01-01'), new Date('2020-01-01'));
    expect(runningService(path)).toBeUndefined();
  });

  it('announces a service with what only its user may read, and takes it back', () => {
    const path = folder('session');
    announce(path, record, session);
    const file = join(path, 'session.json');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(session);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(join(path, 'runtime.json'), 'utf8'))).toEqual(record);
    expect(runningService(path)).toBe(process.pid);
    retract(path);
    expect(runningService(path)).toBeUndefined();
  });
});
