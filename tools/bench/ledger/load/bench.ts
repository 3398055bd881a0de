/** The effects of high loads on the ledger, on a database with DynamoDB's limits, and their visibility for a caller. */
import { DYNAMODB_LIMITS } from '../../harness/database/capacity.ts';
import type { BenchMetric } from '../../harness/report.ts';
import { median, percentile } from '../../harness/statistics.ts';
import { type LedgerLoad, type LoadResult, runLoad } from './run.ts';

/** The partitions of an on-demand table that has had this load: DynamoDB splits hot partitions. */
const PARTITIONS = 64;
const LIMITS = { ...DYNAMODB_LIMITS, partitions: () => PARTITIONS };

/**
 * The largest load that two cores carry together with the front and the engine: calls of ten seconds, on one key of one
 * account.
 */
const LOAD: LedgerLoad = {
  phases: [
    { seconds: 15, callsASecond: [5, 40] },
    { seconds: 25, callsASecond: 40 },
  ],
  callSeconds: [8, 12],
  limits: LIMITS,
};

export const measureLoad = async (): Promise<readonly BenchMetric[]> =>
  figuresOf('1 account, 1 key, 40/s of 10 s', await runLoad(LOAD));

function figuresOf(load: string, result: LoadResult): readonly BenchMetric[] {
  const { callCounts, counts, heat, ledger, processes } = result;
  const figure = (
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
    figure('calls', callCounts.calls, ''),
    figure('most open', callCounts.maxOpen, 'calls'),
    figure('most processes', processes, ''),
    figure('failures that a caller sees', failed, 'calls', {
      most: 0,
      ...(failures === '' ? {} : { note: failures }),
    }),
    figure('answers without a balance', callCounts.withoutBalance, 'calls', { most: 0 }),
    ...heat.flatMap(({ table, item, partition }) => [
      figure(`hottest item of ${table}`, item?.unitsASecond ?? 0, 'units/s'),
      figure(`hottest partition of ${table}`, partition?.unitsASecond ?? 0, 'units/s'),
    ]),
    figure('throttled tries', aCall(counts.throttled), 'a call'),
    figure('writes that met a transaction', aCall(counts.conflicts), 'a call'),
    figure('transactions that met a write', aCall(counts.cancelled), 'a call'),
    figure('admission, median', median(callCounts.admitMs), 'ms'),
    figure('admission, p99', percentile(callCounts.admitMs, 99), 'ms'),
    figure('shards of the largest wallet', ledger.shards, 'items'),
    figure('drift of the ledger', Number(ledger.drift), 'nano-USD', { most: 0 }),
    figure('drift of the shards', Number(ledger.driftOfShards), 'nano-USD', { most: 0 }),
    figure('holds left open', ledger.openHolds, '', { most: 0 }),
  ];
}
