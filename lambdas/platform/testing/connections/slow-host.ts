/** A host that accepts connections late, as one on another continent does. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../../../tools/test-kit/waiting.ts';

/** More than the host has room for. */
const WAITING = 4;

/** The connections that the kernel completes for a host that accepts none: its backlog of one, and one more. */
const ROOM = 2;

/** The time from the beginning of a call to the first connection that the host accepts. */
const BUSY_MS = 600;

export class SlowHost {
  readonly port: number;
  readonly #process: ChildProcess;
  readonly #waiting: readonly Socket[];

  private constructor(child: ChildProcess, port: number, waiting: readonly Socket[]) {
    this.#process = child;
    this.port = port;
    this.#waiting = waiting;
  }

  /** Starts a host that has stopped, and has no room for a further connection. */
  static async start(host: string): Promise<SlowHost> {
    const child = fork(new URL('slow-host-process.ts', import.meta.url), [host]);
    const [port] = (await once(child, 'message')) as [number];
    child.kill('SIGSTOP');
    const waiting = Array.from({ length: WAITING }, () => connect({ host, port }).on('error', () => {}));
    await until(
      () => waiting.filter(({ connecting }) => !connecting).length,
      (connected) => connected >= ROOM,
    );
    for (const socket of waiting) if (socket.connecting) socket.destroy();
    return new SlowHost(child, port, waiting);
  }

  /** Lets the host go on while a call of it has begun. A connection that was refused room is there a second later. */
  async resume(): Promise<void> {
    await sleep(BUSY_MS);
    this.#process.kill('SIGCONT');
  }

  async stop(): Promise<void> {
    for (const socket of this.#waiting) socket.destroy();
    this.#process.kill('SIGKILL');
    await once(this.#process, 'exit');
  }
}
