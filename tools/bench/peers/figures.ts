/** The values computed from the samples: goals first, as ratios, then their components. */

import { CASES, type CaseName, PACED_CASES } from '../harness/load/cases.ts';
import type { BenchMetric } from '../harness/report.ts';
import { BARE } from './bare.ts';
import { FORWARDER } from './forwarder/contestant.ts';
import { OURS, OURS_WITHOUT_MONEY } from './ours.ts';
import { PORTKEY } from './portkey.ts';
import { LOAD_NAMES, type LoadName, type Samples } from './samples.ts';

/** One call at a time: what is added to a call when none waits for another. */
const ALONE: LoadName = '1 at once';

/** The load at which the CPU of a call is reported: concurrent calls as in service, but without a queue. */
const LOADED: LoadName = '16 at once';

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
  // Of the medians: within a round, the difference of two close values may be almost zero, and a ratio to it meaningless.
  const added = (contestant: string, caseName: CaseName) =>
    samples.added({ contestant, caseName, load: ALONE }, 'p50Ms');
  const ratio = (contestant: string, testCase: CaseName) =>
    added(contestant, testCase) / added(PORTKEY, testCase);
  const peaks = (testCase: CaseName) => samples.peak(OURS, testCase) / samples.peak(PORTKEY, testCase);
  const cpuRatio = (caseName: CaseName, other: string) => {
    const [ours, theirs] = [OURS, other].map((contestant) =>
      samples.middle({ contestant, caseName, load: LOADED }, 'cpuMs'),
    ) as [number, number];
    return ours / theirs;
  };
  const goal = (
    name: string,
    value: number,
    bound: Pick<BenchMetric, 'most' | 'least'>,
    other = PORTKEY,
  ): BenchMetric => ({
    name,
    value,
    unit: `of ${other}`,
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
    goal('goal: CPU, streamed', cpuRatio('chat streamed', PORTKEY), { most: 1.05 }),
    goal('goal: CPU, streamed one by one', cpuRatio('chat streamed, one by one', PORTKEY), { most: 1.5 }),
    goal('goal: CPU, whole answers', cpuRatio('chat', PORTKEY), { most: 1 }),
    ...(
      [
        ['chat streamed, in one read', 9.5],
        ['chat streamed, one by one', 3.2],
        ['chat', 8.3],
      ] as const
    ).map(([caseName, most]) =>
      goal(`goal: CPU, ${caseName}, of the ${FORWARDER}`, cpuRatio(caseName, FORWARDER), { most }, FORWARDER),
    ),
  ];
}

export function caseMetrics(samples: Samples, contestants: readonly string[]): BenchMetric[] {
  return [...CASES, ...PACED_CASES].flatMap(({ name: testCase }) =>
    contestants
      .filter((contestant) => samples.has(contestant, testCase))
      .flatMap((contestant) => contestantMetrics(samples, testCase, contestant)),
  );
}

function contestantMetrics(samples: Samples, testCase: CaseName, contestant: string): BenchMetric[] {
  const named = (measure: string) => metricName(testCase, measure, contestant);
  const at = (load: LoadName) => ({ contestant, caseName: testCase, load });
  const ms = (measure: string, value: number) => ({ name: named(measure), value, unit: 'ms' });
  const peak = { name: named(PEAK), value: samples.peak(contestant, testCase), unit: 'calls/s' };
  const loads = LOAD_NAMES.filter((load) => !Number.isNaN(samples.middle(at(load), 'p50Ms')));
  if (contestant === BARE)
    return [peak, ...loads.map((load) => ms(`p50, ${load}`, samples.middle(at(load), 'p50Ms')))];
  return [
    peak,
    ...loads.flatMap((load) => [
      ms(`added, p50, ${load}`, samples.added(at(load), 'p50Ms')),
      ms(`added, p99, ${load}`, samples.added(at(load), 'p99Ms')),
    ]),
    ms(CPU, samples.middle(at(LOADED), 'cpuMs')),
    ...(contestant === OURS ? [ms(DATABASE_CPU, samples.middle(at(LOADED), 'databaseCpuMs'))] : []),
  ];
}
