/**
 * High loads on the real ledger, on a database with DynamoDB's limits: their effects on the ledger, and what a caller sees
 * of them. Rounds, units and tries are not counted, since the clients are the SDK's.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createLedger } from '../../../../lambdas/ledger/store/create-ledger.ts';
import { SECOND_LIMITS } from '../../harness/database/capacity.ts';
import { type LimitedFront, startLimitedFront } from '../../harness/database/limited-front.ts';
import { openLoop } from '../../harness/load/loops.ts';
import type { BenchMetric } from '../../harness/report.ts';
import { auditOf, openAccount, SILENT, UNMEASURED } from '../../harness/service/account.ts';
import { type Database, openDatabase } from '../../harness/service/database.ts';
import { median, percentile } from '../../harness/statistics.ts';
import { callOf, HELD_AMOUNT, OUTCOME } from '../call.ts';
import { Processes } from './processes.ts';

/** 64 are the partitions of an on-demand table that has had this load: DynamoDB splits hot partitions. */
const LIMITS = { item: SECOND_LIMITS, partition: SECOND_LIMITS, partitions: 64 };

/** The engine answers sooner than DynamoDB does, so that requests meet more rarely. */
const DELAY_MS = [2, 5] as const;

/** Calls a second, on one key of one account: the most that two cores carry together with the front and the engine. */
const [FIRST_RATE, RATE] = [5, 40];
/** The rate grows evenly, and then stays. */
const [GROWTH_MS, LOAD_MS] = [15_000, 40_000];
/** The duration of a call is drawn evenly. */
const [MIN_CALL_MS, MAX_CALL_MS] = [8_000, 12_000];

/** Exponential gaps: the calls know nothing of each other. */
function* arrivals(): Generator<number> {
  for (let atMs = 0; ; ) {
    const rate = FIRST_RATE + (RATE - FIRST_RATE) * Math.min(1, atMs / GROWTH_MS);
    atMs += (-Math.log(1 - Math.random()) * 1000) / rate;
    if (atMs > LOAD_MS) return;
    yield atMs;
  }
}

export async function measureLoad(): Promise<readonly BenchMetric[]> {
  const database = await openDatabase();
  try {
    const front = await startLimitedFront(database.endpoint, LIMITS, DELAY_MS);
    try {
      return await measure(database, front);
    } finally {
      await front.stop();
    }
  } finally {
    await database.close();
  }
}

async function measure(
  { connect, environment }: Database,
  { endpoint, limits: { capacity, counts } }: LimitedFront,
): Promise<readonly BenchMetric[]> {
  const direct = connect();
  const account = await openAccount(direct, environment);
  const stores = { clients: connect(endpoint), environment, log: SILENT, measure: UNMEASURED };
  const processes = new Processes(() => createLedger(stores).ledger);
  const failures = new Map<string, number>();
  let [open, maxOpen, withoutBalance] = [0, 0, 0];
  const admitMs: number[] = [];
  const call = async () => {
    open += 1;
    maxOpen = Math.max(maxOpen, open);
    const process = processes.take();
    try {
      const startedMs = Date.now();
      const admission = await process.admit(callOf(account));
      admitMs.push(Date.now() - startedMs);
      await sleep(MIN_CALL_MS + Math.random() * (MAX_CALL_MS - MIN_CALL_MS));
      const amount = BigInt(Math.floor(Math.random() * Number(HELD_AMOUNT)));
      const { balance } = await admission.settle({ ...OUTCOME, amount });
      if (balance === undefined) withoutBalance += 1;
    } catch (failure) {
      const { name = '', code = name } = Object(failure) as {
        readonly name?: string;
        readonly code?: string;
      };
      failures.set(code, (failures.get(code) ?? 0) + 1);
    } finally {
      processes.giveBack(process);
      open -= 1;
    }
  };
  const { calls } = await openLoop(arrivals(), call);
  const { drift } = await auditOf(direct, environment, account.accountId);
  const wallet = await createLedger({ ...stores, clients: direct }).wallets.read(account.accountId);
  const failed = [...failures].map(([kind, count]) => `${count} ${kind}`).join(', ');
  const metrics: BenchMetric[] = [
    { name: 'calls', value: calls.length, unit: '' },
    { name: 'most open', value: maxOpen, unit: 'calls' },
    { name: 'most processes', value: processes.maxOpen, unit: '' },
    {
      name: 'failures that a caller sees',
      value: [...failures.values()].reduce((total, count) => total + count, 0),
      unit: 'calls',
      most: 0,
      ...(failed === '' ? {} : { note: failed }),
    },
    { name: 'answers without a balance', value: withoutBalance, unit: 'calls', most: 0 },
    ...capacity.tables().flatMap((table) =>
      (['item', 'partition'] as const).map((part) => ({
        name: `hottest ${part} of ${table}`,
        value: capacity.hottest(part, table, 'write'),
        unit: 'units/s',
      })),
    ),
    { name: 'throttled tries', value: counts.throttled / calls.length, unit: 'a call' },
    { name: 'writes that met a transaction', value: counts.conflicts / calls.length, unit: 'a call' },
    { name: 'transactions that met a write', value: counts.cancelled / calls.length, unit: 'a call' },
    { name: 'admission, median', value: median(admitMs), unit: 'ms' },
    { name: 'admission, p99', value: percentile(admitMs, 99), unit: 'ms' },
    { name: 'drift of the ledger', value: Number(drift), unit: 'nano-USD', most: 0 },
    { name: 'holds left open', value: wallet?.holds.length ?? Number.NaN, unit: '', most: 0 },
  ];
  const load = `1 account, 1 key, ${RATE}/s of ${(MIN_CALL_MS + MAX_CALL_MS) / 2_000} s`;
  return metrics.map((metric) => ({ ...metric, name: `${load}: ${metric.name}` }));
}
