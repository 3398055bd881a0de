/** Starts the comparisons' upstream, which shares no process with any contestant or with the load. */
import { join } from 'node:path';
import { type ServiceProcess, startProgram } from '../process.ts';

export interface BenchUpstream extends ServiceProcess {
  /** Returns the number of calls that it has received so far. */
  calls(): Promise<number>;
}

export async function startBenchUpstream(): Promise<BenchUpstream> {
  const upstream = await startProgram(join(import.meta.dirname, 'main.ts'));
  return {
    ...upstream,
    async calls() {
      const { calls } = (await (await fetch(`${upstream.url}/calls`)).json()) as { calls: number };
      return calls;
    },
  };
}
