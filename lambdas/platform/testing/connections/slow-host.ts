/** A host that accepts connections late, as one on another continent does. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** More than the host has room for. */
const WAITING = 4;

/** For so long the host accepts none; a connection that is begun meanwhile is there a second after its beginning. */
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

  /** A host that is busy now. */
  static async start(host: string): Promise<SlowHost> {
    const child = fork(new URL('slow-host-process.ts', import.meta.url), [host]);
    const [port] = (await once(child, 'message')) as [number];
    child.send(BUSY_MS);
    await once(child, 'message');
    await sleep(20);
    const waiting = Array.from({ length: WAITING }, () => connect({ host, port }).on('error', () => {}));
    await sleep(50);
    for (const socket of waiting) if (socket.connecting) socket.destroy();
    return new SlowHost(child, port, waiting);
  }

  async stop(): Promise<void> {
    for (const socket of this.#waiting) socket.destroy();
    this.#process.kill('SIGKILL');
    await once(this.#process, 'exit');
  }
}
