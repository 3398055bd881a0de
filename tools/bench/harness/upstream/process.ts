/** Starts the comparisons' upstream, which shares no process with any contestant or with the load. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export interface BenchUpstream {
  readonly url: string;
  readonly pid: number;
  /** Returns the number of calls that it has received so far. */
  calls(): Promise<number>;
  stop(): Promise<void>;
}

export async function startBenchUpstream(): Promise<BenchUpstream> {
  const child = fork(join(import.meta.dirname, 'main.ts'), { execArgv: [] });
  const [port] = (await once(child, 'message')) as [number];
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    pid: child.pid ?? 0,
    async calls() {
      const { calls } = (await (await fetch(`${url}/calls`)).json()) as { calls: number };
      return calls;
    },
    async stop() {
      const closed = once(child, 'close');
      child.kill('SIGKILL');
      await closed;
    },
  };
}
