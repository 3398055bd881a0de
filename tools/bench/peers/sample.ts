/** One window of load on one contestant, as numbers: what a caller waited, how many were served, what it took. */
import type { LoadMeasurement } from '../harness/load/loops.ts';
import { percentile } from '../harness/statistics.ts';

/** The load of a window. */
export type LoadName = '1 at once' | '16 at once' | '64 at once' | 'open loop';

export interface Sample {
  readonly contestant: string;
  readonly caseName: string;
  readonly load: LoadName;
  /** The round of the sample. Samples of one round are compared. */
  readonly round: number;
  /** To the first content of a stream, to the last byte of an answer that is not streamed. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly perSecond: number;
  /** CPU time a call of the process that answers, and of the database. */
  readonly cpuMs: number;
  readonly databaseCpuMs: number;
}

export interface LoadWindow extends Pick<Sample, 'contestant' | 'caseName' | 'load' | 'round'> {
  readonly stream: boolean;
  readonly loaded: LoadMeasurement;
  /** CPU time in the whole window. */
  readonly cpuMs: number;
  readonly databaseCpuMs: number;
}

export function sampleOf({ stream, loaded, cpuMs, databaseCpuMs, ...named }: LoadWindow): Sample {
  const { calls, seconds } = loaded;
  const waited = calls.map(({ firstMs, totalMs }) => (stream ? firstMs : totalMs));
  return {
    ...named,
    p50Ms: percentile(waited, 50),
    p99Ms: percentile(waited, 99),
    perSecond: calls.length / seconds,
    cpuMs: cpuMs / calls.length,
    databaseCpuMs: databaseCpuMs / calls.length,
  };
}
