/** What `npm start` costs while nobody calls, with each setting of `COMPUTE`: CPU and memory of all its processes, after one paid call. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Session } from '../../local/process/state-folder.ts';
import type { Figure } from '../harness/report.ts';
import { readSession } from '../harness/service/session.ts';
import { type ProcessUse, usesOf } from './processes.ts';

/** A laptop's owner does not notice it. */
const CPU_PERCENT = 1;
const MEMORY_MB = 600;

/** The last work of the start and of the call has ended by then. */
const SETTLE_MS = 30_000;

const MEASURED_MS = 60_000;

/** Longer than the shortest schedule, five minutes, so that what it starts is measured too. */
const SCHEDULED_MS = 5 * 60_000;

/** What serves the calls: the setting `COMPUTE` of `npm start`. */
const COMPUTES = ['functions', 'host'] as const;

/** Both at the same time: what is counted is the CPU's time, not the clock's. */
export async function measureIdle(): Promise<readonly Figure[]> {
  const services: IdleService[] = [];
  try {
    for (const compute of COMPUTES) services.push(await openService(compute));
    await sleep(SETTLE_MS);
    return (await Promise.all(services.map(figuresOfService))).flat();
  } finally {
    for (const service of services) await service.close();
  }
}

interface IdleService {
  readonly compute: string;
  readonly pid: number;
  close(): Promise<void>;
}

async function openService(compute: string): Promise<IdleService> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-idle-'));
  const child = spawn(process.execPath, [join(import.meta.dirname, '..', '..', 'local', 'start.ts')], {
    env: { ...process.env, COMPUTE: compute, PORT: '0', LOCAL_DIR: folder },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const close = async () => {
    const gone = once(child, 'close');
    if (child.exitCode === null && child.kill('SIGTERM')) await gone;
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const session = await readSession(folder, child);
    await callOnce(session);
    return { compute, pid: session.pid, close };
  } catch (failure) {
    await close();
    throw failure;
  }
}

async function figuresOfService({ compute, pid }: IdleService): Promise<readonly Figure[]> {
  const first = await measure(pid, MEASURED_MS);
  const second = await measure(pid, SCHEDULED_MS);
  return [...figuresOf(`${compute}: idle`, first), ...figuresOf(`${compute}: idle, with schedules`, second)];
}

async function callOnce({ base_url, api_key }: Session): Promise<void> {
  const answer = await fetch(`${base_url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sim/chat', messages: [{ role: 'user', content: 'Hello' }] }),
  });
  if (!answer.ok) throw new Error(`the paid call failed: ${answer.status} ${await answer.text()}`);
  await answer.arrayBuffer();
}

interface Measured {
  readonly cpuPercent: number;
  readonly memoryMb: number;
  readonly processes: number;
  readonly seconds: number;
}

/** A process that began on the way counts from its beginning; one that ended on the way counts for nothing. */
async function measure(pid: number, ms: number): Promise<Measured> {
  const before = usesOf(pid);
  await sleep(ms);
  const after = usesOf(pid);
  const sum = (value: (use: ProcessUse, pid: number) => number) =>
    [...after].reduce((total, [id, use]) => total + value(use, id), 0);
  const cpuSeconds = sum((use, id) => use.cpuSeconds - (before.get(id)?.cpuSeconds ?? 0));
  return {
    cpuPercent: (cpuSeconds * 100_000) / ms,
    memoryMb: sum(({ memoryMb }) => memoryMb),
    processes: after.size,
    seconds: ms / 1000,
  };
}

function figuresOf(name: string, { cpuPercent, memoryMb, processes, seconds }: Measured): Figure[] {
  return [
    {
      name: `${name}: CPU`,
      value: cpuPercent,
      unit: '% of a core',
      most: CPU_PERCENT,
      note: `over ${seconds} s, of all processes`,
    },
    {
      name: `${name}: memory`,
      value: memoryMb,
      unit: 'MB',
      most: MEMORY_MB,
      note: `${processes} processes; what they share is counted once (Pss), and what both services share, Node itself, half for each`,
    },
  ];
}
