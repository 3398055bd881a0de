/** The results of the samples of all rounds: medians, and comparisons that are made within each round first. */
import { median } from '../harness/statistics.ts';
import { BARE } from './bare.ts';
import type { LoadName, Sample } from './sample.ts';

/** The contestant, case and load of a sample. */
export interface SampleKey {
  readonly contestant: string;
  readonly caseName: string;
  readonly load: LoadName;
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
  middle(runKey: SampleKey, measure: Measure): number {
    return median([...this.#rounds(runKey).values()].map((sample) => sample[measure]));
  }

  /** Returns the latency added to the bare upstream: the median of the differences within each round. */
  added(runKey: SampleKey, measure: 'p50Ms' | 'p99Ms'): number {
    return median(
      this.#paired(runKey, { ...runKey, contestant: BARE }).map(([a, b]) => a[measure] - b[measure]),
    );
  }

  /**
   * Returns the latency that one contestant adds as a share of the latency that another adds. It is computed from the
   * medians. Within a round the difference of two close values may be almost zero, and a ratio to it would be
   * meaningless.
   */
  addedRatio(runKey: SampleKey, to: string, measure: 'p50Ms' | 'p99Ms'): number {
    return this.added(runKey, measure) / this.added({ ...runKey, contestant: to }, measure);
  }

  /** The most calls a second of any closed load. */
  peak(contestant: string, caseName: string): number {
    const loads: readonly LoadName[] = ['1 at once', '16 at once', '64 at once'];
    const throughputs = loads.map((load) => this.middle({ contestant, caseName, load }, 'perSecond'));
    return Math.max(...throughputs.filter((value) => !Number.isNaN(value)));
  }

  #rounds({ contestant, caseName, load }: SampleKey): Map<number, Sample> {
    const matching = this.#samples.filter(
      (sample) => sample.contestant === contestant && sample.caseName === caseName && sample.load === load,
    );
    return new Map(matching.map((sample) => [sample.round, sample]));
  }

  #paired(runKey: SampleKey, other: SampleKey): [Sample, Sample][] {
    const otherRounds = this.#rounds(other);
    return [...this.#rounds(runKey)].flatMap(([round, sample]): [Sample, Sample][] => {
      const pair = otherRounds.get(round);
      return pair === undefined ? [] : [[sample, pair]];
    });
  }
}
