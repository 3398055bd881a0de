/** One who answers the calls of the comparison: how it is started, asked and weighed. */
import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../local/process/free-port.ts';
import type { LoadRequest } from '../harness/load/call.ts';
import { bodyOf, type Case, endOf, PATHS } from '../harness/load/cases.ts';
import { type ServiceProcess, serving } from '../harness/process.ts';

export type ContestantProcess = Omit<ServiceProcess, 'kill'>;

export interface Contestant {
  readonly name: string;
  /** Returns whether the contestant supports the case. */
  serves(testCase: Case): boolean;
  request(testCase: Case, pauseMs: number): LoadRequest;
  /** Starts one process of it; resolves when it listens. */
  start(): Promise<ContestantProcess>;
}

/** A request of the case for a contestant that knows the model by that name. */
export const requestOf = (
  testCase: Case,
  model: string,
  headers: Readonly<Record<string, string>>,
): LoadRequest => ({
  path: PATHS[testCase.surface],
  headers: { 'content-type': 'application/json', ...headers },
  body: bodyOf(testCase, model),
  end: endOf(testCase),
});

/** A Python proxy imports for seconds, more on a busy machine. */
const READY_MS = 90_000;

export interface PeerProgram {
  readonly command: string;
  readonly args: (port: string) => readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** Starts a peer, whose output nobody reads, and waits until its port answers. */
export async function startPeer({
  command,
  args,
  environment,
  cwd,
}: PeerProgram): Promise<ContestantProcess> {
  const port = await freePort();
  const env = { PATH: process.env.PATH ?? '', HOME: cwd, ...environment };
  const child = spawn(command, args(String(port)), { cwd, stdio: 'ignore', env });
  const running = await serving(child, answering(port));
  return { ...running, stop: running.kill };
}

/** Resolves when somebody answers at the port. */
async function answering(port: number): Promise<number> {
  const deadlineMs = Date.now() + READY_MS;
  while (Date.now() < deadlineMs) {
    const url = `http://127.0.0.1:${port}`;
    const response = await fetch(url, { signal: AbortSignal.timeout(5_000) }).catch(() => undefined);
    await response?.arrayBuffer();
    if (response !== undefined) return port;
    await sleep(10);
  }
  throw new Error(`nobody answers at ${port}`);
}
