/** The values computed from the samples: goals first, as ratios, then their components. */

import { CASES, type CaseName } from '../harness/load/cases.ts';
import type { BenchMetric } from '../harness/report.ts';
import { BARE } from './bare.ts';
import { OURS, OURS_WITHOUT_MONEY } from './ours.ts';
import { PORTKEY } from './portkey.ts';
import type { LoadName } from './sample.ts';
import type { Samples } from './samples.ts';

/** The measurements that are made once per run and not once per window. */
export interface Weight {
  readonly contestant: string;
  /** After all rounds. */
  readonly residentMb: number;
  readonly startMs: number;
}

/** One call at a time: what is added to a call when none waits for another. */
const ALONE: LoadName = '1 at once';

/** The load at which the CPU of a call is reported: concurrent calls as in service, but without a queue. */
const LOADED: LoadName = '16 at once';

const CASE_LOADS: readonly LoadName[] = ['1 at once', '16 at once', '64 at once', 'open loop'];

/** The name of a figure; the table in docs/benchmarks.md finds it by the same. */
export const metricName = (testCase: CaseName, measure: string, contestant: string): string =>
  `${testCase}: ${measure}: ${contestant}`;

export const ADDED_ALONE = `added, p50, ${ALONE}`;
export const PEAK = 'most calls a second';
export const CPU = 'CPU a call';
export const DATABASE_CPU = 'CPU a call of the database';
export const RESIDENT = 'memory after the rounds';
export const START = 'start to first answer';

/** The goals; against Portkey, so none where it could not be installed. */
export function goalMetrics(samples: Samples): BenchMetric[] {
  const ratio = (contestant: string, testCase: CaseName) =>
    samples.addedRatio({ contestant, caseName: testCase, load: ALONE }, PORTKEY, 'p50Ms');
  const peaks = (testCase: CaseName) => samples.peak(OURS, testCase) / samples.peak(PORTKEY, testCase);
  const goal = (name: string, value: number, bound: Pick<BenchMetric, 'most' | 'least'>): BenchMetric => ({
    name,
    value,
    unit: `of ${PORTKEY}`,
    goal: true,
    ...bound,
  });
  if (!samples.has(PORTKEY, 'chat')) return [];
  return [
    goal('goal: first token added, streamed, money on', ratio(OURS, 'chat streamed'), { most: 0.33 }),
    goal('goal: added to a whole answer, money on', ratio(OURS, 'chat'), { most: 1.5 }),
    goal('goal: added to a whole answer, ledger off', ratio(OURS_WITHOUT_MONEY, 'chat'), { most: 1 }),
    goal('goal: most calls a second, streamed, money on', peaks('chat streamed'), { least: 1.5 }),
    goal('goal: most calls a second, whole answers, money on', peaks('chat'), { least: 1 }),
  ];
}

export function caseMetrics(samples: Samples, contestants: readonly string[]): BenchMetric[] {
  return CASES.flatMap(({ name: testCase }) =>
    contestants
      .filter((contestant) => samples.has(contestant, testCase))
      .flatMap((contestant) => contestantMetrics(samples, testCase, contestant)),
  );
}

function contestantMetrics(samples: Samples, testCase: CaseName, contestant: string): BenchMetric[] {
  const named = (measure: string) => metricName(testCase, measure, contestant);
  const at = (load: LoadName) => ({ contestant, caseName: testCase, load });
  const peak = { name: named(PEAK), value: samples.peak(contestant, testCase), unit: 'calls/s' };
  const loads = CASE_LOADS.filter((load) => !Number.isNaN(samples.middle(at(load), 'p50Ms')));
  if (contestant === BARE)
    return [
      peak,
      ...loads.map((load) => ({
        name: named(`p50, ${load}`),
        value: samples.middle(at(load), 'p50Ms'),
        unit: 'ms',
      })),
    ];
  return [
    peak,
    ...loads.flatMap((load) => [
      { name: named(`added, p50, ${load}`), value: samples.added(at(load), 'p50Ms'), unit: 'ms' },
      { name: named(`added, p99, ${load}`), value: samples.added(at(load), 'p99Ms'), unit: 'ms' },
    ]),
    { name: named(CPU), value: samples.middle(at(LOADED), 'cpuMs'), unit: 'ms' },
    ...(contestant === OURS
      ? [{ name: named(DATABASE_CPU), value: samples.middle(at(LOADED), 'databaseCpuMs'), unit: 'ms' }]
      : []),
  ];
}

export const weightMetrics = (weights: readonly Weight[]): BenchMetric[] =>
  weights.flatMap(({ contestant, residentMb, startMs }) => [
    { name: `${RESIDENT}: ${contestant}`, value: residentMb, unit: 'MB' },
    { name: `${START}: ${contestant}`, value: startMs, unit: 'ms' },
  ]);
