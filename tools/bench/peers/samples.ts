/** The results of the samples of all rounds: medians, and comparisons that are made within each round first. */
import { median } from '../harness/statistics.ts';
import { BARE } from './bare.ts';
import type { LoadName, Sample } from './sample.ts';

/** The contestant, case and load of a sample. */
export interface SamplePlace {
  readonly contestant: string;
  readonly asked: string;
  readonly load: LoadName;
}

type Measure = 'p50Ms' | 'p99Ms' | 'perSecond' | 'cpuMs' | 'databaseCpuMs';

export class Samples {
  readonly #samples: readonly Sample[];

  constructor(samples: readonly Sample[]) {
    this.#samples = samples;
  }

  has(contestant: string, asked: string): boolean {
    return this.#samples.some((sample) => sample.contestant === contestant && sample.asked === asked);
  }

  /** The median of all rounds; NaN when there was none. */
  middle(place: SamplePlace, measure: Measure): number {
    return median([...this.#rounds(place).values()].map((sample) => sample[measure]));
  }

  /** Returns the latency added to the bare upstream: the median of the differences within each round. */
  added(place: SamplePlace, measure: 'p50Ms' | 'p99Ms'): number {
    return median(
      this.#paired(place, { ...place, contestant: BARE }).map(([a, b]) => a[measure] - b[measure]),
    );
  }

  /**
   * Returns the latency that one contestant adds as a share of the latency that another adds. It is computed from the
   * medians. Within a round the difference of two close values may be almost zero, and a ratio to it would be
   * meaningless.
   */
  addedRatio(place: SamplePlace, to: string, measure: 'p50Ms' | 'p99Ms'): number {
    return this.added(place, measure) / this.added({ ...place, contestant: to }, measure);
  }

  /** The most calls a second of any closed load. */
  peak(contestant: string, asked: string): number {
    const loads: readonly LoadName[] = ['1 at once', '16 at once', '64 at once'];
    const served = loads.map((load) => this.middle({ contestant, asked, load }, 'perSecond'));
    return Math.max(...served.filter((value) => !Number.isNaN(value)));
  }

  #rounds({ contestant, asked, load }: SamplePlace): Map<number, Sample> {
    const found = this.#samples.filter(
      (sample) => sample.contestant === contestant && sample.asked === asked && sample.load === load,
    );
    return new Map(found.map((sample) => [sample.round, sample]));
  }

  #paired(place: SamplePlace, other: SamplePlace): [Sample, Sample][] {
    const others = this.#rounds(other);
    return [...this.#rounds(place)].flatMap(([round, sample]): [Sample, Sample][] => {
      const pair = others.get(round);
      return pair === undefined ? [] : [[sample, pair]];
    });
  }
}
