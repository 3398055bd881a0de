/** A load on the real ledger in real time: the SDK's own clients, HTTP, the limits in front of the embedded DynamoDB. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createLedger } from '../../../../lambdas/ledger/store/create-ledger.ts';
import { createDynamoClients, type DynamoClients } from '../../../../lambdas/platform/aws/clients.ts';
import { REGION } from '../../../local/assembly/intrinsics.ts';
import { ENGINE_CREDENTIALS } from '../../../local/dynamodb/client.ts';
import { type LimitedFront, startLimitedFront } from '../../harness/database/limited-front.ts';
import { openAccount, SILENT, UNMEASURED } from '../../harness/service/account.ts';
import { type Database, openDatabase } from '../../harness/service/database.ts';
import { readTable } from '../../harness/service/read-table.ts';
import { checkLedger } from './books.ts';
import { makeCalls, type Phase } from './callers.ts';
import { Processes } from './processes.ts';
import { heatOf, type LoadResult, type SimulatedLoad } from './simulation.ts';

/** The engine answers sooner than DynamoDB does, so that requests meet more rarely. */
const DELAY_MS = [2, 5] as const;

/** Runs the load of one account with one key. Rounds, units and tries are not counted: the clients are the SDK's. */
export async function runInRealTime(
  phases: readonly Phase[],
  load: Pick<SimulatedLoad, 'callSeconds' | 'limits'>,
): Promise<Omit<LoadResult, 'totals'>> {
  const database = await openDatabase({ inMemory: true });
  try {
    const front = await startLimitedFront(database.endpoint, { limits: load.limits, delayMs: DELAY_MS });
    const clients = createDynamoClients({
      endpoint: front.endpoint,
      region: REGION,
      credentials: ENGINE_CREDENTIALS,
    });
    try {
      return await run(database, front, clients, { ...load, phases });
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
  { phases, callSeconds }: Pick<SimulatedLoad, 'phases' | 'callSeconds'>,
): Promise<Omit<LoadResult, 'totals'>> {
  const { environment } = database;
  const { client } = database.connect();
  const account = await openAccount(database.connect(), environment);
  const start = () => ({
    ledger: createLedger({ clients, environment, log: SILENT, measure: UNMEASURED }).ledger,
    takeRounds: () => Number.NaN,
  });
  const processes = new Processes(start, Date.now);
  const callCounts = await makeCalls({
    accounts: [account],
    phases,
    callSeconds,
    processes,
    clock: Date.now,
    random: Math.random,
    sleep,
  });
  const { capacity, counts } = front.limits;
  const [accounts, wallets, usage] = await Promise.all(
    ['accounts', 'wallets', 'usage'].map((table) => readTable(client, table)),
  );
  const totals = checkLedger({ accounts: accounts ?? [], wallets: wallets ?? [], usage: usage ?? [] });
  return { callCounts, counts, heat: heatOf(capacity), books: totals, processes: processes.maxOpen };
}
