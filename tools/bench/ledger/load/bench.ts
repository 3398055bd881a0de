/** The effects of high loads on the ledger, on a database with DynamoDB's limits, and their visibility for a caller. */
import { DYNAMODB_LIMITS } from '../../harness/database/capacity.ts';
import type { Figure } from '../../harness/report.ts';
import { median, percentile } from '../../harness/statistics.ts';
import { type LedgerLoad, type LoadResult, runLoad } from './run.ts';

/** As many as a table on demand has that once carried the load: DynamoDB divides partitions that are hot. */
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

export const measureLoad = async (): Promise<readonly Figure[]> =>
  figuresOf('1 account, 1 key, 40/s of 10 s', await runLoad(LOAD));

function figuresOf(load: string, result: LoadResult): readonly Figure[] {
  const { seen, counts, heat, books, processes } = result;
  const figure = (name: string, value: number, unit: string, bounds: Partial<Figure> = {}): Figure => ({
    name: `${load}: ${name}`,
    value,
    unit,
    ...bounds,
  });
  const failures = [...seen.failures].map(([kind, count]) => `${count} ${kind}`).join(', ');
  const failed = [...seen.failures.values()].reduce((total, count) => total + count, 0);
  const aCall = (value: number) => value / seen.calls;
  return [
    figure('calls', seen.calls, ''),
    figure('most open', seen.mostOpen, 'calls'),
    figure('most processes', processes, ''),
    figure('failures that a caller sees', failed, 'calls', {
      most: 0,
      ...(failures === '' ? {} : { note: failures }),
    }),
    figure('answers without a balance', seen.withoutBalance, 'calls', { most: 0 }),
    ...heat.flatMap(({ table, item, partition }) => [
      figure(`hottest item of ${table}`, item?.unitsASecond ?? 0, 'units/s'),
      figure(`hottest partition of ${table}`, partition?.unitsASecond ?? 0, 'units/s'),
    ]),
    figure('throttled tries', aCall(counts.throttled), 'a call'),
    figure('writes that met a transaction', aCall(counts.conflicts), 'a call'),
    figure('transactions that met a write', aCall(counts.cancelled), 'a call'),
    figure('admission, median', median(seen.admitMs), 'ms'),
    figure('admission, p99', percentile(seen.admitMs, 99), 'ms'),
    figure('shards of the largest wallet', books.shards, 'items'),
    figure('drift of the books', Number(books.drift), 'nano-USD', { most: 0 }),
    figure('drift of the shards', Number(books.driftOfShards), 'nano-USD', { most: 0 }),
    figure('holds left open', books.openHolds, '', { most: 0 }),
  ];
}
