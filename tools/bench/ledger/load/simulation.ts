/** A load on the real ledger in virtual time, in front of a virtual database that refuses what DynamoDB would refuse. */
import { createLedger } from '../../../../lambdas/ledger/store/create-ledger.ts';
import { DEFAULT_HOLD_TTL_SECONDS, VARIABLES } from '../../../../lambdas/platform/contract/environment.ts';
import { TABLES } from '../../../../lambdas/platform/contract/tables.ts';
import type { Capacity, CapacityLimits, Hottest } from '../../harness/database/capacity.ts';
import type { RequestCounts } from '../../harness/database/request-limits.ts';
import { type RequestResult, VirtualDatabase } from '../../harness/database/virtual/virtual-database.ts';
import { VirtualTime } from '../../harness/database/virtual/virtual-time.ts';
import { addKey, type BenchAccount, openAccount, SILENT, UNMEASURED } from '../../harness/service/account.ts';
import { TABLE_VARIABLES } from '../../harness/service/database.ts';
import { checkLedger, type LedgerCheck } from './books.ts';
import { type CallCounts, makeCalls, type Phase } from './callers.ts';
import { type Process, Processes } from './processes.ts';

export interface SimulatedLoad {
  readonly accounts: number;
  readonly keysOfEach: number;
  readonly phases: readonly Phase[];
  readonly callSeconds: readonly [least: number, most: number];
  readonly limits: CapacityLimits;
  readonly seed: number;
}

/** The totals of the requests of all processes. */
export interface RequestTotals {
  writeUnits: number;
  readUnits: number;
  /** Writes whose condition was not met. */
  failedConditions: number;
  /** Tries beyond the first, by the SDK. */
  repeats: number;
}

export interface TableHeat {
  readonly table: string;
  readonly item: Hottest | undefined;
  readonly partition: Hottest | undefined;
}

export interface LoadResult {
  readonly callCounts: CallCounts;
  readonly totals: RequestTotals;
  readonly counts: RequestCounts;
  /** The heat that writes cause. */
  readonly heat: readonly TableHeat[];
  readonly books: LedgerCheck;
  readonly processes: number;
}

/** Half a minute before one ends: every run has a minute that begins while it runs. */
const START_MS = Date.UTC(2026, 0, 15, 12, 0, 30);

/** Runs the load; the process's clock, timers and chance are virtual until it has ended. */
export async function simulate(load: SimulatedLoad): Promise<LoadResult> {
  const time = new VirtualTime(START_MS, load.seed);
  const uninstall = time.install();
  // Nobody reads the stacks of conditions that fail, which take a tenth of the run.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return await time.run(runLoad(load, time));
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
    uninstall();
  }
}

const ENVIRONMENT = { ...TABLE_VARIABLES, [VARIABLES.holdTtlSeconds]: String(DEFAULT_HOLD_TTL_SECONDS) };

async function runLoad(load: SimulatedLoad, time: VirtualTime): Promise<LoadResult> {
  const database = new VirtualDatabase({ time, tables: TABLES, limits: load.limits });
  const accounts = await openAccounts(load, database);
  const totals: RequestTotals = { writeUnits: 0, readUnits: 0, failedConditions: 0, repeats: 0 };
  const processes = new Processes(() => startProcess(database, totals), time.now);
  const { phases, callSeconds } = load;
  const clocks = { clock: time.now, random: time.random, sleep: time.sleep };
  const callCounts = await makeCalls({ accounts, phases, callSeconds, processes, ...clocks });
  const { capacity, counts } = database.limits;
  const { accounts: entries, wallets, usage } = database.tables;
  const items = { accounts: entries?.all() ?? [], wallets: wallets?.all() ?? [], usage: usage?.all() ?? [] };
  return {
    callCounts,
    totals,
    counts,
    heat: heatOf(capacity),
    books: checkLedger(items),
    processes: processes.maxOpen,
  };
}

/** Returns the heat of each table that writes cause. */
export const heatOf = (capacity: Capacity): readonly TableHeat[] =>
  capacity.tables().map((table) => ({
    table,
    item: capacity.hottest('item', table, 'write'),
    partition: capacity.hottest('partition', table, 'write'),
  }));

/** The keys of all accounts. */
async function openAccounts(
  { accounts, keysOfEach }: SimulatedLoad,
  database: VirtualDatabase,
): Promise<BenchAccount[]> {
  const clients = database.connect();
  const opened: BenchAccount[] = [];
  for (let count = 0; count < accounts; count += 1) {
    const first = await openAccount(clients, ENVIRONMENT);
    opened.push(first);
    for (let keys = 1; keys < keysOfEach; keys += 1)
      opened.push(await addKey(clients, ENVIRONMENT, first.accountId));
  }
  return opened;
}

function startProcess(database: VirtualDatabase, totals: RequestTotals): Process {
  let [rounds, endedCount] = [0, 0];
  const clients = database.connect((operation) => {
    const round = endedCount + 1;
    rounds = Math.max(rounds, round);
    return (result) => {
      endedCount = Math.max(endedCount, round);
      count(totals, operation, result);
    };
  });
  const { ledger } = createLedger({ clients, environment: ENVIRONMENT, log: SILENT, measure: UNMEASURED });
  const takeRounds = () => {
    const usedRounds = rounds;
    [rounds, endedCount] = [0, 0];
    return usedRounds;
  };
  return { ledger, takeRounds };
}

function count(totals: RequestTotals, operation: string, { units, attempts, failure }: RequestResult): void {
  totals[/Get|Query|Scan/.test(operation) ? 'readUnits' : 'writeUnits'] += units;
  totals.repeats += attempts - 1;
  if ((failure as Error | undefined)?.name === 'ConditionalCheckFailedException')
    totals.failedConditions += 1;
}
