/** The effects of high loads on the ledger, on a database with DynamoDB's limits, and their visibility for a caller. */
import { DYNAMODB_LIMITS } from '../../harness/database/capacity.ts';
import type { BenchMetric } from '../../harness/report.ts';
import { median, percentile } from '../../harness/statistics.ts';
import { runInRealTime } from './real-time.ts';
import { type LoadResult, simulate } from './simulation.ts';

/** As many as a table on demand has that once carried the load: DynamoDB divides partitions that are hot. */
const PARTITIONS = 64;
const LIMITS = { ...DYNAMODB_LIMITS, partitions: () => PARTITIONS };

/** Calls of ten seconds: the upstream's time, evenly drawn. */
const TEN_SECONDS = [8, 12] as const;

/** The design's budgets. */
const UNITS_A_CALL = 6;

/** Shorter calls, so that the simulation has no more processes than it has memory for. */
const ONE_SECOND = [0.8, 1.2] as const;

export async function measureLoad(): Promise<readonly BenchMetric[]> {
  return [
    ...metricsOf('1 account, 1 key, 200/s of 10 s', await oneKey()),
    ...metricsOf('1 account, 8 keys, 1,000/s of 10 s', await eightKeys()),
    ...metricsOf('1,000 accounts, 10,000/s of 1 s', await manyAccounts(), false),
    ...metricsOf('in real time: 1 account, 1 key, 40/s of 10 s', await inRealTime()),
  ];
}

/**
 * The load grows as fast as Lambda starts instances of a function (1,000 in 10 s), and falls to a quarter for a while, so
 * that processes end and others begin.
 */
const oneKey = (): Promise<LoadResult> =>
  simulate({
    accounts: 1,
    keysOfEach: 1,
    phases: [
      { seconds: 20, callsASecond: [10, 200] },
      { seconds: 30, callsASecond: 200 },
      { seconds: 15, callsASecond: 50 },
      { seconds: 20, callsASecond: 200 },
    ],
    callSeconds: TEN_SECONDS,
    limits: LIMITS,
    seed: 1,
  });

/** Four functions share the growth. */
const eightKeys = (): Promise<LoadResult> =>
  simulate({
    accounts: 1,
    keysOfEach: 8,
    phases: [
      { seconds: 25, callsASecond: [50, 1_000] },
      { seconds: 30, callsASecond: 1_000 },
    ],
    callSeconds: TEN_SECONDS,
    limits: LIMITS,
    seed: 2,
  });

const manyAccounts = (): Promise<LoadResult> =>
  simulate({
    accounts: 1_000,
    keysOfEach: 1,
    phases: [{ seconds: 6, callsASecond: 10_000 }],
    callSeconds: ONE_SECOND,
    limits: LIMITS,
    seed: 3,
  });

/** As much as two cores carry with the load, the front and the engine on them. */
const inRealTime = () =>
  runInRealTime(
    [
      { seconds: 15, callsASecond: [5, 40] },
      { seconds: 25, callsASecond: 40 },
    ],
    { callSeconds: TEN_SECONDS, limits: LIMITS },
  );

/** `isKnown`: a process meets its account again, and knows how many shards its wallet has. */
function metricsOf(
  load: string,
  result: Omit<LoadResult, 'totals'> & Partial<LoadResult>,
  isKnown = true,
): readonly BenchMetric[] {
  const { callCounts, counts, heat, books, processes, totals } = result;
  const metric = (
    name: string,
    value: number,
    unit: string,
    bounds: Partial<BenchMetric> = {},
  ): BenchMetric => ({
    name: `${load}: ${name}`,
    value,
    unit,
    ...bounds,
  });
  const failures = [...callCounts.failures].map(([kind, count]) => `${count} ${kind}`).join(', ');
  const failed = [...callCounts.failures.values()].reduce((total, count) => total + count, 0);
  const aCall = (value: number) => value / callCounts.calls;
  return [
    metric('calls', callCounts.calls, ''),
    metric('most open', callCounts.maxOpen, 'calls'),
    metric('most processes', processes, ''),
    metric('failures that a caller sees', failed, 'calls', {
      most: 0,
      ...(failures === '' ? {} : { note: failures }),
    }),
    metric('answers without a balance', callCounts.withoutBalance, 'calls', { most: 0 }),
    ...heat.flatMap(({ table, item, partition }) => [
      metric(`hottest item of ${table}`, item?.unitsASecond ?? 0, 'units/s'),
      metric(`hottest partition of ${table}`, partition?.unitsASecond ?? 0, 'units/s'),
    ]),
    metric('throttled tries', aCall(counts.throttled), 'a call'),
    metric('writes that met a transaction', aCall(counts.conflicts), 'a call'),
    metric('transactions that met a write', aCall(counts.cancelled), 'a call'),
    ...(totals === undefined
      ? []
      : [
          metric('write units', aCall(totals.writeUnits), 'a call', isKnown ? { most: UNITS_A_CALL } : {}),
          metric('read units', aCall(totals.readUnits), 'a call'),
          metric('failed conditions', aCall(totals.failedConditions), 'a call'),
          metric('requests sent again by the SDK', aCall(totals.repeats), 'a call'),
          metric(
            'rounds before the upstream, median',
            median(callCounts.rounds),
            'rounds',
            isKnown ? { most: 1 } : {},
          ),
          metric('rounds before the upstream, p99', percentile(callCounts.rounds, 99), 'rounds'),
        ]),
    metric('admission, median', median(callCounts.admitMs), 'ms'),
    metric('admission, p99', percentile(callCounts.admitMs, 99), 'ms'),
    metric('shards of the largest wallet', books.shards, 'items'),
    metric('drift of the books', Number(books.drift), 'nano-USD', { most: 0 }),
    metric('drift of the shards', Number(books.driftOfShards), 'nano-USD', { most: 0 }),
    metric('holds left open', books.openHolds, '', { most: 0 }),
  ];
}
