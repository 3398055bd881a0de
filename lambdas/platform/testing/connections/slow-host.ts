/** A host that accepts connections late, as one on another continent does. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** More than the host has room for. */
const WAITING = 4;

export class SlowHost {
  readonly port: number;
  readonly #process: ChildProcess;
  #waiting: Socket[] = [];

  private constructor(child: ChildProcess, port: number) {
    this.#process = child;
    this.port = port;
  }

  static async start(address: string, port = 0): Promise<SlowHost> {
    const child = fork(new URL('slow-host-process.ts', import.meta.url), [address, String(port)]);
    const [listening] = (await once(child, 'message')) as [number];
    return new SlowHost(child, listening);
  }

  /** The host accepts none for so long; a connection that is begun meanwhile is there a second after its beginning. */
  async blockFor(ms: number, address: string): Promise<void> {
    this.#process.send(ms);
    await once(this.#process, 'message');
    await sleep(20);
    this.#waiting = Array.from({ length: WAITING }, () =>
      connect({ host: address, port: this.port }).on('error', () => {}),
    );
    await sleep(50);
    for (const socket of this.#waiting) if (socket.connecting) socket.destroy();
  }

  async stop(): Promise<void> {
    for (const socket of this.#waiting) socket.destroy();
    this.#process.kill('SIGKILL');
    await once(this.#process, 'exit');
  }
}
