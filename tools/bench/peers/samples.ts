/**
 * Windows of load on contestants, as numbers: what a caller waited, how many were served, what it took; and the results
 * of all rounds: medians, and comparisons that are made within each round first.
 */
import { median } from '../harness/statistics.ts';
import { BARE } from './bare.ts';

/** The loads with callers that wait, and the one of a fixed rate. */
export const LOAD_NAMES = ['1 at once', '16 at once', '64 at once', 'open loop'] as const;
export type LoadName = (typeof LOAD_NAMES)[number];

/** The contestant, case and load of a sample. */
export interface SampleKey {
  readonly contestant: string;
  readonly caseName: string;
  readonly load: LoadName;
}

export interface Sample extends SampleKey {
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

type Measure = 'p50Ms' | 'p99Ms' | 'perSecond' | 'cpuMs' | 'databaseCpuMs';

export class Samples {
  readonly #samples: readonly Sample[];

  constructor(samples: readonly Sample[]) {
    this.#samples = samples;
  }

  has(contestant: string, caseName: string): boolean {
    return this.#samples.some((sample) => sample.contestant === contestant && sample.caseName === caseName);
  }

  /** The median of all rounds; NaN when there was none. */
  middle(key: SampleKey, measure: Measure): number {
    return median(this.#of(key).map((sample) => sample[measure]));
  }

  /** Returns the latency added to the bare upstream: the median of the differences within each round. */
  added(key: SampleKey, measure: 'p50Ms' | 'p99Ms'): number {
    const bare = this.#of({ ...key, contestant: BARE });
    const differences = this.#of(key).map(
      (sample) =>
        sample[measure] - (bare.find(({ round }) => round === sample.round)?.[measure] ?? Number.NaN),
    );
    return median(differences);
  }

  /** The most calls a second of any load with callers that wait. */
  peak(contestant: string, caseName: string): number {
    const loads = LOAD_NAMES.filter((load) => load !== 'open loop');
    const throughputs = loads.map((load) => this.middle({ contestant, caseName, load }, 'perSecond'));
    return Math.max(...throughputs.filter((value) => !Number.isNaN(value)));
  }

  #of({ contestant, caseName, load }: SampleKey): readonly Sample[] {
    return this.#samples.filter(
      (sample) => sample.contestant === contestant && sample.caseName === caseName && sample.load === load,
    );
  }
}
