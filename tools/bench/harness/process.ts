/** Processes that serve: started, waited for and ended in one way. */
import { type ChildProcess, type ForkOptions, fork } from 'node:child_process';
import { once } from 'node:events';

export interface ServiceProcess {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
  /** Ends it where it is. */
  kill(): Promise<void>;
}

/** Resolves when the process serves at the port that `ready` resolves with, and ends it when that fails. */
export async function serving(child: ChildProcess, ready: Promise<number>): Promise<ServiceProcess> {
  const closed = once(child, 'close');
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await closed;
  };
  const failed = closed.then(([code]) => {
    throw new Error(`${child.spawnargs.join(' ')} ended: ${code}`);
  });
  failed.catch(() => {});
  try {
    const port = await Promise.race([ready, failed]);
    const url = `http://127.0.0.1:${port}`;
    return { url, pid: child.pid ?? 0, stop: () => end('SIGTERM'), kill: () => end('SIGKILL') };
  } catch (failure) {
    await end('SIGKILL');
    throw failure;
  }
}

/** Starts a program of ours, which sends its port when it listens. */
export function startProgram(file: string, env?: Readonly<Record<string, string>>): Promise<ServiceProcess> {
  const options: ForkOptions = {
    execArgv: [],
    // What functions print goes where it costs no reader anything.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    ...(env === undefined ? {} : { env }),
  };
  const child = fork(file, options);
  const ready = once(child, 'message') as Promise<[{ readonly port: number }]>;
  return serving(
    child,
    ready.then(([{ port }]) => port),
  );
}
