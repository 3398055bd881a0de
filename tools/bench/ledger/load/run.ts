/** A load on the real ledger in real time: the SDK's own clients, HTTP, the limits in front of the embedded DynamoDB. */
import { createLedger } from '../../../../lambdas/ledger/store/create-ledger.ts';
import { createDynamoClients, type DynamoClients } from '../../../../lambdas/platform/aws/clients.ts';
import { REGION } from '../../../local/assembly/intrinsics.ts';
import { ENGINE_CREDENTIALS } from '../../../local/dynamodb/client.ts';
import type { Capacity, CapacityLimits, Hottest } from '../../harness/database/capacity.ts';
import { type LimitedFront, startLimitedFront } from '../../harness/database/limited-front.ts';
import type { RequestCounts } from '../../harness/database/request-limits.ts';
import { openAccount, SILENT, UNMEASURED } from '../../harness/service/account.ts';
import { type Database, openDatabase } from '../../harness/service/database.ts';
import { readTable } from '../../harness/service/read-table.ts';
import { checkLedger, type LedgerCheck } from './books.ts';
import { type CallCounts, makeCalls, type Phase } from './callers.ts';
import { Processes } from './processes.ts';

/** The engine answers sooner than DynamoDB does, so that requests meet more rarely. */
const DELAY_MS = [2, 5] as const;

export interface LedgerLoad {
  readonly phases: readonly Phase[];
  /** The duration of a call, drawn evenly. */
  readonly callSeconds: readonly [min: number, max: number];
  readonly limits: CapacityLimits;
}

interface TableHeat {
  readonly table: string;
  readonly item: Hottest | undefined;
  readonly partition: Hottest | undefined;
}

export interface LoadResult {
  readonly callCounts: CallCounts;
  readonly counts: RequestCounts;
  /** The heat that writes cause. */
  readonly heat: readonly TableHeat[];
  readonly ledger: LedgerCheck;
  readonly processes: number;
}

/** Runs the load of one account with one key. Rounds, units and tries are not counted: the clients are the SDK's. */
export async function runLoad(load: LedgerLoad): Promise<LoadResult> {
  const database = await openDatabase({ inMemory: true });
  try {
    const front = await startLimitedFront(database.endpoint, { limits: load.limits, delayMs: DELAY_MS });
    const clients = createDynamoClients({
      endpoint: front.endpoint,
      region: REGION,
      credentials: ENGINE_CREDENTIALS,
    });
    try {
      return await run(database, front, clients, load);
    } finally {
      clients.client.destroy();
      clients.onceClient.destroy();
      await front.stop();
    }
  } finally {
    await database.close();
  }
}

async function run(
  database: Database,
  front: LimitedFront,
  clients: DynamoClients,
  { phases, callSeconds }: LedgerLoad,
): Promise<LoadResult> {
  const { environment } = database;
  const { client } = database.connect();
  const account = await openAccount(database.connect(), environment);
  const start = () => createLedger({ clients, environment, log: SILENT, measure: UNMEASURED }).ledger;
  const processes = new Processes(start, Date.now);
  const callCounts = await makeCalls({ account, phases, callSeconds, processes });
  const { capacity, counts } = front.limits;
  const [accounts, wallets, usage] = await Promise.all(
    ['accounts', 'wallets', 'usage'].map((table) => readTable(client, table)),
  );
  const ledger = checkLedger({ accounts: accounts ?? [], wallets: wallets ?? [], usage: usage ?? [] });
  return { callCounts, counts, heat: heatOf(capacity), ledger, processes: processes.maxOpen };
}

/** Returns the heat of each table that writes cause. */
const heatOf = (capacity: Capacity): readonly TableHeat[] =>
  capacity.tables().map((table) => ({
    table,
    item: capacity.hottest('item', table, 'write'),
    partition: capacity.hottest('partition', table, 'write'),
  }));
