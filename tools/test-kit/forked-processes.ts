/** Processes of one script that race each other: each says that it is ready, then answers every message with one. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

export class ForkedProcesses {
  readonly #children: readonly ChildProcess[];

  private constructor(children: readonly ChildProcess[]) {
    this.#children = children;
  }

  /** Starts processes of the script at a path; settles when all are ready. */
  static async start(script: string, count: number): Promise<ForkedProcesses> {
    const children = Array.from({ length: count }, () => fork(script, { execArgv: [] }));
    await Promise.all(children.map((child) => once(child, 'message')));
    return new ForkedProcesses(children);
  }

  /** Sends each process its message, all at once; gives their answers, in the order of the processes. */
  ask<ChildMessage>(messageFor: (index: number) => object): Promise<ChildMessage[]> {
    return Promise.all(
      this.#children.map(async (child, index) => {
        const messages = once(child, 'message');
        child.send(messageFor(index));
        const [message] = (await messages) as [ChildMessage];
        return message;
      }),
    );
  }

  /** Settles when all processes have ended. */
  async end(): Promise<void> {
    await Promise.all(
      this.#children.map(async (child) => {
        const closed = once(child, 'exit');
        child.disconnect();
        child.kill();
        await closed;
      }),
    );
  }
}
