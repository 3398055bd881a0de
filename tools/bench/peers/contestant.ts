/** One who answers the calls of the comparison: how it is started, asked and weighed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LoadRequest } from '../harness/load/call.ts';
import type { Case } from '../harness/load/cases.ts';

export interface ContestantProcess {
  readonly url: string;
  /** The process that answers; 0 when it is not the contestant's own. */
  readonly pid: number;
  stop(): Promise<void>;
}

export interface Contestant {
  readonly name: string;
  /** Returns whether the contestant supports the case. */
  serves(testCase: Case): boolean;
  request(testCase: Case, pauseMs: number): LoadRequest;
  /** Starts one process of it; resolves when it listens. */
  start(): Promise<ContestantProcess>;
}

/** A Python proxy imports for seconds, more on a busy machine. */
const READY_MS = 90_000;

export interface PeerProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly port: number;
  readonly environment?: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** Starts a peer, whose output nobody reads, and waits until its port answers. */
export async function startPeer({
  command,
  args,
  port,
  environment,
  cwd,
}: PeerProgram): Promise<ContestantProcess> {
  const child = spawn(command, args, {
    cwd,
    stdio: ['ignore', 'ignore', 'ignore'],
    env: { PATH: process.env.PATH ?? '', HOME: cwd, ...environment },
  });
  const url = `http://127.0.0.1:${port}`;
  const deadlineMs = Date.now() + READY_MS;
  while (Date.now() < deadlineMs && child.exitCode === null) {
    const response = await fetch(url, { signal: AbortSignal.timeout(5_000) }).catch(() => undefined);
    await response?.arrayBuffer();
    if (response !== undefined) return { url, pid: child.pid ?? 0, stop: () => stopPeer(child) };
    await sleep(10);
  }
  await stopPeer(child);
  throw new Error(`${command} did not start`);
}

async function stopPeer(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  child.kill('SIGKILL');
  await closed;
}
