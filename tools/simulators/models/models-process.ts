/** Runs the simulated upstream as a process of its own, as the providers are, so that its load is not ours. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface UpstreamProcess {
  readonly url: string;
  readonly controlUrl: string;
  /** Rejects when it ends by itself; never settles otherwise. */
  readonly failure: Promise<never>;
  stop(): Promise<void>;
}

/** Starts it near `preferredPort` (any free port when that is taken) and waits for its address. */
export async function startUpstreamProcess(
  preferredPort: number,
  log: (line: string) => void,
): Promise<UpstreamProcess> {
  const child = fork(join(import.meta.dirname, 'main.ts'), {
    env: { ...process.env, PORT: String(preferredPort) },
    execArgv: [],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    // A group of its own: Ctrl-C must not end it under calls that are still in flight.
    detached: true,
  });
  let stopping = false;
  const closed = once(child, 'close');
  const failure = closed.then(([code]) => {
    if (stopping) return new Promise<never>(() => {});
    throw new Error(`the simulated upstream ended (exit code ${code})`);
  });
  failure.catch(() => {});
  const stop = async (): Promise<void> => {
    stopping = true;
    child.kill('SIGKILL');
    await closed;
  };
  if (child.stdout === null) throw new Error('the simulated upstream has no standard output');
  const lines = createInterface({ input: child.stdout });
  const [first] = (await Promise.race([once(lines, 'line'), failure])) as [string];
  lines.on('line', (line) => log(`upstream ${line}`));
  const { url, control_url: controlUrl } = JSON.parse(first) as { url: string; control_url: string };
  return { url, controlUrl, failure, stop };
}
