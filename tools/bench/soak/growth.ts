/** The growth of what a process holds, and the limits above which it is a leak. */
import type { BenchMetric } from '../harness/report.ts';
import { median } from '../harness/statistics.ts';

/** The resources of a process after a collection of its garbage, while no call is open. */
export interface HeldResources {
  /** The heap and the memory of its buffers, KB. */
  readonly heap: number;
  /** The memory of the process, KB, which also depends on when the system takes pages back: it is only recorded. */
  readonly resident: number;
  /** Sockets, servers, pipes and other handles that keep it alive. */
  readonly handles: number;
  /** Timers in the heap, with those that keep no process alive. */
  readonly timers: number;
  /** Open file descriptors. */
  readonly files: number;
}

export interface ProcessSamples {
  readonly process: string;
  readonly samples: readonly (HeldResources & { readonly round: number })[];
  readonly isAlive: boolean;
}

export const MEASURES = ['heap', 'handles', 'timers', 'files'] as const;

/** The samples from which a slope is taken: caches fill before them. */
export const SLOPE_SAMPLES = 30;

/** The growth of a heap within those samples, as a percentage of its mean. */
const HEAP_PERCENT = 1;

/** The growth of anything else, which has little noise. A kind of call that leaves one open adds 30 and more. */
const COUNT = 2;

/** Theil and Sen: the median slope of all pairs of values, which outliers do not move. */
export function slopeOf(values: readonly number[]): number {
  return median(
    values.flatMap((value, at) =>
      values.slice(at + 1).map((later, distance) => (later - value) / (distance + 1)),
    ),
  );
}

/**
 * Returns the growth over all values, on the smaller of the slopes of their halves. A leak grows in both. A step does
 * not, such as the connections of more calls at once than before.
 */
function growthOf(values: readonly number[]): number {
  const middle = values.length / 2;
  const halves = [values.slice(0, Math.ceil(middle)), values.slice(Math.floor(middle))];
  return Math.min(...halves.map(slopeOf)) * (values.length - 1);
}

/** The growth of a process in the last samples by measure: of its heap as a percentage, of anything else as a count. */
export function growths({ process, samples }: ProcessSamples, prefix = ''): readonly BenchMetric[] {
  return MEASURES.map((measure) => {
    const all = samples.map((sample) => sample[measure]);
    const last = all.slice(-SLOPE_SAMPLES);
    const mean = last.reduce((sum, value) => sum + value, 0) / last.length;
    const [isHeap, growth] = [measure === 'heap', growthOf(last)];
    const shown = [all[0], last[0], last.at(-1)].map((value = Number.NaN) => Math.round(value));
    return {
      name: `${prefix}${process}: ${measure}`,
      value: isHeap ? (100 * growth) / mean : growth,
      unit: isHeap ? '%' : 'more',
      most: isHeap ? HEAP_PERCENT : COUNT,
      note: `${shown.join(', ')}${isHeap ? ' KB' : ''} in the first minute, the first of the slope and the last`,
    };
  });
}
