/** The sums of an account with a million calls: how long they take to be stored, and what a query reads then. */
import { type AttributeValue, BatchWriteItemCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { encodeTime } from 'ulid';
import { createDynamoClients, type DynamoClients } from '../../../lambdas/adapters/aws/clients.ts';
import { text } from '../../../lambdas/adapters/dynamodb/attribute-values.ts';
import { createSums } from '../../../lambdas/adapters/ledger/usage/create-account-usage.ts';
import { encodeRecord } from '../../../lambdas/adapters/ledger/usage-store.ts';
import { TABLES } from '../../../lambdas/contract/tables.ts';
import { type AccountSums, readSums } from '../../../lambdas/core/ledger/usage/account-sums.ts';
import { ReadingBudget } from '../../../lambdas/core/ledger/usage/key-reading.ts';
import { spanOf, usageSumsBody } from '../../../lambdas/core/ledger/usage/sums-answer.ts';
import type { UsageRecord } from '../../../lambdas/core/ledger/usage-record.ts';
import { REGION } from '../../../local/assembly/intrinsics.ts';
import { ENGINE_CREDENTIALS } from '../../../local/dynamodb/client.ts';
import type { Figure } from '../../harness/report.ts';
import { type Database, openDatabase } from '../../harness/service/database.ts';

const RECORDS = 1_000_000;
const KEYS = 10;
const DAYS = 30;
const DAY_MS = 86_400_000;
const FIRST_MS = Date.UTC(2026, 9, 1);

/** Noon of the day after the last one: the morning's calls of that day are open or read from records. */
const NOW_MS = FIRST_MS + (DAYS + 0.5) * DAY_MS;
const ACCOUNT = 'acc_bench';

/** Of a BatchWriteItem. */
const BATCH = 25;
const WRITERS = 8;

const MOST_QUERY_MS = 1_000;

const keyOf = (index: number): string =>
  `key_${encodeTime(FIRST_MS, 10)}${String(index % KEYS).padStart(16, '0')}`;

/** Evenly over the time, with odd amounts and as many as 5 models. */
function recordAt(index: number, records: number): UsageRecord {
  const ms = FIRST_MS + Math.floor((index / records) * (DAYS + 0.5) * DAY_MS);
  return {
    id: `req_${encodeTime(ms, 10)}${String(index).padStart(16, '0')}`,
    keyId: keyOf(index),
    accountId: ACCOUNT,
    created: Math.floor(ms / 1000) + 3,
    model: `sim/model-${index % 5}`,
    kind: 'chat',
    inputUnits: index % 1_000,
    cachedUnits: index % 10,
    outputUnits: index % 500,
    unit: 'token',
    cost: BigInt(1_000_001 + (index % 977)),
    estimated: false,
    route: 'sim',
    status: index % 50 === 0 ? 'interrupted' : 'completed',
  };
}

/** `options`: how many records, a million if nothing is said. */
export async function measureUsageSums([count]: readonly string[]): Promise<readonly Figure[]> {
  const records = count === undefined ? RECORDS : Number(count);
  const database = await openDatabase({ inMemory: true });
  try {
    await fill(database, records);
    return await measure(database, records);
  } finally {
    await database.close();
  }
}

/** The engine answers a page of 1 MB later than DynamoDB does on a machine that has other work. */
const REQUEST_MS = 20_000;

const connect = ({ endpoint }: Database): DynamoClients =>
  createDynamoClients({ endpoint, region: REGION, credentials: ENGINE_CREDENTIALS }, REQUEST_MS);

async function fill(database: Database, records: number): Promise<void> {
  const { environment } = database;
  const { client } = connect(database);
  const keys = Array.from({ length: KEYS }, (_, index) => ({
    key_id: text(keyOf(index)),
    account_id: text(ACCOUNT),
  }));
  await write(client, environment[TABLES.keys.variable] ?? '', keys);
  const usage = environment[TABLES.usage.variable] ?? '';
  let next = 0;
  const writer = async () => {
    for (let at = next; at < records; at = next) {
      next += BATCH;
      const size = Math.min(BATCH, records - at);
      const batch = Array.from({ length: size }, (_, offset) => encodeRecord(recordAt(at + offset, records)));
      await write(client, usage, batch);
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, writer));
  client.destroy();
}

const write = (client: DynamoDBClient, table: string, items: readonly Record<string, AttributeValue>[]) =>
  client.send(
    new BatchWriteItemCommand({
      RequestItems: { [table]: items.map((Item) => ({ PutRequest: { Item } })) },
    }),
  );

async function measure(database: Database, records: number): Promise<readonly Figure[]> {
  const { environment } = database;
  const clients = connect(database);
  let requests = 0;
  clients.client.middlewareStack.add(
    (next) => (input) => {
      requests += 1;
      return next(input);
    },
    { step: 'initialize' },
  );
  const sums = { ...createSums({ clients, environment }), nowMs: NOW_MS };
  const query = { interval: 'day', group_by: ['model', 'status'] } as const;
  const span = spanOf({ ...query, group_by: [...query.group_by] }, NOW_MS);
  const ask = async () => {
    const budget = new ReadingBudget(64);
    const [startedMs, before] = [performance.now(), requests];
    const found = await readSums({ ...sums, budget }, ACCOUNT, span);
    usageSumsBody(found, { ...query, group_by: [...query.group_by] }, NOW_MS / 1000);
    return { found, ms: performance.now() - startedMs, requests: requests - before, read: budget.read };
  };
  const cold = await ask();
  const startedMs = performance.now();
  const budget = new ReadingBudget(Number.POSITIVE_INFINITY);
  await readSums({ ...sums, budget }, ACCOUNT, { start: 0, end: 0 });
  const storing = performance.now() - startedMs;
  await ask();
  const warm = await ask();
  clients.client.destroy();
  const at = `${records.toLocaleString('en')} calls of ${KEYS} keys in ${DAYS} days`;
  return [
    { name: `${at}: first query, nothing stored`, value: cold.ms, unit: 'ms' },
    { name: `${at}: records that it reads`, value: cold.read, unit: '', most: 128_000 },
    { name: `${at}: storing the sums of the rest`, value: storing, unit: 'ms' },
    { name: `${at}: later query`, value: warm.ms, unit: 'ms', most: MOST_QUERY_MS },
    { name: `${at}: requests of a later query`, value: warm.requests, unit: '', most: 64 },
    { name: `${at}: records that a later query reads`, value: warm.read, unit: '' },
    { name: `${at}: a later query is complete`, value: Number(warm.found.complete), unit: '', least: 1 },
    {
      name: `${at}: difference of its cost from that of the records`,
      value: Number(costOf(warm.found) - costOfRecords(records, span.start)),
      unit: 'nano-USD',
      least: 0,
      most: 0,
    },
  ];
}

const costOf = ({ rows }: AccountSums): bigint => rows.reduce((sum, { cost }) => sum + cost, 0n);

function costOfRecords(records: number, startHour: number): bigint {
  let sum = 0n;
  for (let index = 0; index < records; index += 1) {
    const { created, cost } = recordAt(index, records);
    if (created >= startHour * 3600 && created * 1000 <= NOW_MS + 60_000) sum += cost;
  }
  return sum;
}
