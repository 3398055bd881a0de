/**
 * What a night's audit of one account reads, by the shards of its wallet, its keys and its new records. The repair of its
 * keys' caps is included.
 */
import { type DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { encodeTime } from 'ulid';
import { type Item, map, number, text } from '../../../lambdas/adapters/dynamodb/attribute-values.ts';
import { createAudit } from '../../../lambdas/adapters/ledger/create-audit.ts';
import { encodeRecord } from '../../../lambdas/adapters/ledger/usage-store.ts';
import { requireVariable } from '../../../lambdas/contract/environment.ts';
import { TABLES } from '../../../lambdas/contract/tables.ts';
import { auditSegment } from '../../../lambdas/core/ledger/audit/run.ts';
import type { Figure } from '../../harness/report.ts';
import { SILENT } from '../../harness/service/account.ts';
import { type Database, openDatabase } from '../../harness/service/database.ts';

const DAY_SECONDS = 86_400;
const COST = 10n;

/** Noon of the day before the first night. */
const NOON_SECONDS = Date.UTC(2026, 10, 20, 12) / 1000;

const NIGHTS = [
  { name: 'first night', ms: Date.UTC(2026, 10, 21, 3) },
  { name: 'a night later', ms: Date.UTC(2026, 10, 22, 3) },
  { name: 'two nights later', ms: Date.UTC(2026, 10, 23, 3) },
] as const;

interface Fixture {
  readonly shards: number;
  readonly records: number;
  /** One of them is live and has the records; the others were revoked before they had any. */
  readonly keys: number;
}

type Write = (table: keyof typeof TABLES, item: Item) => Promise<unknown>;

const put =
  (client: DynamoDBClient, { environment }: Database): Write =>
  (table, item) =>
    client.send(
      new PutItemCommand({ TableName: requireVariable(environment, TABLES[table].variable), Item: item }),
    );

const keyOf = (index: number): string =>
  `key_${encodeTime((NOON_SECONDS - DAY_SECONDS) * 1000, 10)}${String(index).padStart(16, '0')}`;

/** An account with calls of one day, in the ledger's own items. */
async function openAccount(
  write: Write,
  accountId: string,
  { shards, records, keys }: Fixture,
): Promise<void> {
  const [spent, created, keyId] = [COST * BigInt(records), NOON_SECONDS, keyOf(0)];
  const day = Math.floor(created / DAY_SECONDS);
  const credit = spent + BigInt(shards);
  await write('accounts', { account_id: text(accountId), item: text('top_up#1'), amount: number(credit) });
  await write('accounts', { account_id: text(accountId), item: text('account'), live_keys: { SS: [keyId] } });
  for (let key = 0; key < keys; key += 1)
    await write('keys', { key_id: text(keyOf(key)), account_id: text(accountId) });
  for (let shard = 0; shard < shards; shard += 1) {
    const isFirst = shard === 0;
    await write('wallets', {
      wallet_id: text(isFirst ? accountId : `${accountId}#${shard}`),
      balance: number(1),
      holds: map({}),
      received: number(isFirst ? spent + 1n : 1n),
      spent: number(isFirst ? spent : 0),
      ...(isFirst ? { shards: number(shards) } : {}),
      ...(isFirst && records > 0 ? { [`spent_${day}`]: number(spent) } : {}),
    });
  }
  for (let at = 0; at < records; at += 1)
    await write(
      'usage',
      encodeRecord({
        id: `req_${encodeTime(created * 1000, 10)}${String(at).padStart(16, '0')}`,
        keyId,
        accountId,
        created,
        model: 'anthropic/claude-sonnet-4.5',
        kind: 'chat',
        inputUnits: 1200,
        cachedUnits: 0,
        outputUnits: 300,
        unit: 'token',
        cost: COST,
        estimated: false,
        route: 'anthropic-messages',
        status: 'completed',
      }),
    );
}

interface Answer {
  readonly ConsumedCapacity?:
    | { readonly CapacityUnits?: number }
    | readonly { readonly CapacityUnits?: number }[];
}

interface Reads {
  requests: number;
  units: number;
}

/** Counts the reads of everything that passes through a client; returns those since the call before. */
function watchReads(client: DynamoDBClient): () => Reads {
  let reads: Reads = { requests: 0, units: 0 };
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (request) => {
        const input = Object.assign({ ...request.input }, { ReturnConsumedCapacity: 'TOTAL' });
        const answer = await next({ ...request, input: input as typeof request.input });
        const { ConsumedCapacity: consumed } = answer.output as Answer;
        if (!/^(Get|BatchGet|Query)/.test(commandName)) return answer;
        reads.requests += 1;
        for (const each of [consumed ?? []].flat()) reads.units += each.CapacityUnits ?? Number.NaN;
        return answer;
      },
    { step: 'initialize', name: 'reads' },
  );
  return () => {
    const taken = reads;
    reads = { requests: 0, units: 0 };
    return taken;
  };
}

const FIXTURES: readonly (Fixture & { readonly name: string; readonly most: number })[] = [
  { name: 'an idle account of 1 shard', shards: 1, records: 0, keys: 1, most: 12 },
  { name: 'an account of 64 shards', shards: 64, records: 0, keys: 1, most: 205 },
  {
    name: 'an account of 1 shard with 1,000 new records of a day',
    shards: 1,
    records: 1000,
    keys: 1,
    most: 75,
  },
  { name: 'an account that has had 500 keys', shards: 1, records: 0, keys: 500, most: 520 },
];

export async function measureReads(): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const { name, most, ...fixture } of FIXTURES) {
    const database = await openDatabase({ inMemory: true });
    try {
      const clients = database.connect();
      await openAccount(put(clients.client, database), 'acc_bench', fixture);
      const watched = database.connect();
      const taken = watchReads(watched.client);
      for (const night of NIGHTS) {
        const { environment } = database;
        const audit = createAudit({ clients: watched, environment, clock: () => night.ms, log: SILENT });
        const { books } = await auditSegment(audit, { segment: 0, segments: 1 });
        const { units, requests } = taken();
        const figure = `${name}, ${night.name}`;
        const value = books.exact ? units : Number.NaN;
        figures.push({ name: figure, value, unit: 'read units', most });
        figures.push({ name: figure, value: requests, unit: 'requests' });
      }
    } finally {
      await database.close();
    }
  }
  return figures;
}
