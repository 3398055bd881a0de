/**
 * The cost of a call on a key with other open calls, each in a separate process as in Lambda. One call is settled and
 * the next one admitted, repeatedly, while the number of open calls stays the same.
 */
import { type DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import type { Ledger } from '../../../lambdas/ledger/core/admission.ts';
import type { Admission } from '../../../lambdas/ledger/core/call.ts';
import { createLedger } from '../../../lambdas/ledger/store/create-ledger.ts';
import { bytesOf } from '../../../lambdas/platform/dynamodb/item-size.ts';
import { type Database, openDatabase } from '../../test-kit/database.ts';
import type { BenchMetric } from '../harness/report.ts';
import { type BenchAccount, openAccount, SILENT, UNMEASURED } from '../harness/service/account.ts';
import { Traffic } from '../harness/service/traffic.ts';
import { median, percentile } from '../harness/statistics.ts';
import { callOf, OUTCOME, ROUNDS_BEFORE, waitForQuietMinute } from './call.ts';

/** The budgets: units of a call, and bytes of an item, each of whose writes is one unit up to 1 KB. */
const LOADS = [
  { open: 1, units: 6, bytes: 1_024 },
  { open: 8, units: 6, bytes: 1_024 },
  { open: 64, units: 6, bytes: 1_024 },
  // The wallet has the most shards, and more holds in each.
  { open: 512, units: 6, bytes: 2_048 },
  { open: 2_048, units: 10, bytes: 4_096 },
] as const;

/** The number of calls in the steady state, large enough that an effect on one call in a hundred shows. */
const CALLS = 200;

/** The steady state must not meet a minute that begins, whose first call writes more. */
const NEEDED_MS = 10_000;

interface OpenCall {
  readonly ledger: Ledger;
  readonly admission: Admission;
}

export async function measureOpenCalls(): Promise<readonly BenchMetric[]> {
  const database = await openDatabase();
  try {
    const metrics: BenchMetric[] = [];
    for (const load of LOADS) metrics.push(...(await measureAt(load, database)));
    return metrics;
  } finally {
    await database.close();
  }
}

async function measureAt(
  { open, units, bytes }: (typeof LOADS)[number],
  database: Database,
): Promise<readonly BenchMetric[]> {
  const clients = database.connect();
  const traffic = new Traffic(clients);
  const { environment } = database;
  const account = await openAccount(clients, environment);
  const startLedger = () => createLedger({ clients, environment, log: SILENT, measure: UNMEASURED }).ledger;
  traffic.take();
  const calls: OpenCall[] = [];
  for (let count = 0; count < open; count += 1) calls.push(await admit(startLedger(), account));
  const growth = traffic.take();
  // By then the wallet has grown to its load.
  for (let count = 0; count < open; count += 1) await replaceOne(calls, account);
  await waitForQuietMinute(NEEDED_MS);
  await replaceOne(calls, account);
  traffic.take();
  const rounds: number[] = [];
  let [writeUnits, readUnits] = [0, 0];
  const cpu = process.cpuUsage();
  for (let count = 0; count < CALLS; count += 1) {
    const ledger = await settleOne(calls);
    const after = traffic.take();
    calls.push(await admit(ledger, account));
    const before = traffic.take();
    rounds.push(before.rounds);
    writeUnits += before.writeUnits + after.writeUnits;
    readUnits += before.readUnits + after.readUnits;
  }
  const { user, system } = process.cpuUsage(cpu);
  const sizes = await largestItems(database.connect().client, account);
  for (const { admission } of calls) await admission.settle(OUTCOME);
  const at = `${open} open`;
  return [
    { name: `${at}: a call`, value: writeUnits / CALLS, unit: 'write units', most: units },
    { name: `${at}: a call`, value: readUnits / CALLS, unit: 'read units' },
    { name: `${at}: before the upstream`, value: median(rounds), unit: 'rounds', most: ROUNDS_BEFORE },
    { name: `${at}: before the upstream, p99`, value: percentile(rounds, 99), unit: 'rounds' },
    { name: `${at}: before the upstream, most`, value: Math.max(...rounds), unit: 'rounds' },
    {
      name: `${at}: CPU a call`,
      value: (user + system) / 1000 / CALLS,
      unit: 'ms CPU',
      note: 'the ledger and the SDK of its requests, without an endpoint',
    },
    { name: `${at}: growth to it`, value: growth.writeUnits / open, unit: 'write units a call' },
    { name: `${at}: growth to it`, value: growth.readUnits / open, unit: 'read units a call' },
    { name: `${at}: key`, value: sizes.key, unit: 'bytes', most: 1_024 },
    { name: `${at}: largest wallet item`, value: sizes.wallet, unit: 'bytes', most: bytes },
    { name: `${at}: wallet items`, value: sizes.wallets, unit: '' },
  ];
}

const admit = async (ledger: Ledger, account: BenchAccount): Promise<OpenCall> => ({
  ledger,
  admission: await ledger.admit(callOf(account)),
});

/** Settles any of the calls; its process is free then. */
async function settleOne(calls: OpenCall[]): Promise<Ledger> {
  const at = Math.floor(Math.random() * calls.length);
  const [settled] = calls.splice(at, 1);
  if (settled === undefined) throw new Error('there is no open call');
  await settled.admission.settle(OUTCOME);
  return settled.ledger;
}

async function replaceOne(calls: OpenCall[], account: BenchAccount): Promise<void> {
  calls.push(await admit(await settleOne(calls), account));
}

/** The bytes of the account's key and of the largest of its wallet's items. */
async function largestItems(client: DynamoDBClient, { accountId, key }: BenchAccount) {
  const sizes = async (table: string, attribute: string, owner: string) => {
    const found: number[] = [];
    const pages = paginateScan({ client }, { TableName: table, ConsistentRead: true });
    for await (const { Items: items = [] } of pages)
      for (const item of items) if (item[attribute]?.S?.split('#')[0] === owner) found.push(bytesOf(item));
    return found;
  };
  const wallets = await sizes('wallets', 'wallet_id', accountId);
  const keys = await sizes('keys', 'key_id', key.keyId);
  return { key: Math.max(...keys), wallet: Math.max(...wallets), wallets: wallets.length };
}
