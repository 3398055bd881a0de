/**
 * The reads and writes of the audit on DynamoDB. It decodes items separately from the stores whose work it verifies.
 */
import {
  type DynamoDBClient,
  paginateQuery,
  type QueryCommandInput,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';
import { TABLES } from '../../platform/contract/tables.ts';
import type { NanoUsd } from '../../platform/core/money.ts';
import {
  type Item,
  number,
  readInteger,
  readNumber,
  readText,
  text,
} from '../../platform/dynamodb/attribute-values.ts';
import { readItem, readMany } from '../../platform/dynamodb/reads.ts';
import { putNextVersion, updateItem } from '../../platform/dynamodb/update-item.ts';
import type { AuditedCall, AuditStore, EarningsCheck, WalletShard } from '../core/audit/ports.ts';
import type { AccountPages } from '../core/audit/run.ts';
import { requestRange } from '../core/lease-times.ts';
import { timeOfId } from '../core/usage/rollups.ts';
import { decodeEntry, ENTRY_RANGE } from './ledger-entry.ts';
import { rollupDependenciesOf } from './usage/create-account-usage.ts';
import { provenKey, readProvenUsage } from './usage/proven-usage.ts';
import { accountOf, shardId } from './wallet/item.ts';

/** The tables of what an audit reads. */
export interface AuditTables {
  readonly accounts: string;
  readonly keys: string;
  readonly usage: string;
  readonly wallets: string;
}

/** DynamoDB's most for one batch of reads. */
const BATCH = 100;

/** Items a page, some of which are further shards of a wallet: a page is a request, and is read again by the run that continues in it. */
const PAGE = 200;

/** The accounts that have a wallet, each in one segment, by a parallel scan. */
export const createAccountPages =
  (client: DynamoDBClient, table: string): AccountPages =>
  async ({ segment, segments, after }) => {
    const { Items: items = [], LastEvaluatedKey: last } = await client.send(
      new ScanCommand({
        TableName: table,
        ConsistentRead: true,
        ProjectionExpression: 'wallet_id',
        Limit: PAGE,
        Segment: segment,
        TotalSegments: segments,
        ...(after === undefined ? {} : { ExclusiveStartKey: { wallet_id: text(after) } }),
      }),
    );
    return {
      accounts: items.map((item) => readText(item, 'wallet_id')).filter((id) => accountOf(id) === id),
      next: last === undefined ? undefined : readText(last, 'wallet_id'),
    };
  };

export function createAuditStore(
  client: DynamoDBClient,
  tables: AuditTables,
  { readEarnings }: EarningsCheck,
): AuditStore {
  return {
    readEarnings,
    shards: (accountId) => readShards(client, tables.wallets, accountId),
    async *entries(accountId) {
      const rows = query(client, {
        TableName: tables.accounts,
        ConsistentRead: true,
        KeyConditionExpression: 'account_id = :account AND #item BETWEEN :first AND :last',
        ExpressionAttributeNames: { '#item': 'item' },
        ExpressionAttributeValues: { ':account': text(accountId), ...ENTRY_RANGE },
      });
      for await (const item of rows) yield decodeEntry(item);
    },
    rollups: rollupDependenciesOf(client, tables),
    async recordedCost(holds) {
      let cost = 0n;
      const calls = holds.filter(({ settled }) => settled === undefined);
      for (const { keyId, id, settled } of holds) {
        if (settled === undefined) continue;
        for await (const record of recordsOfLease(client, tables.usage, { keyId, id })) cost += record.cost;
        cost -= settled;
      }
      for (let at = 0; at < calls.length; at += BATCH) {
        const keys = calls
          .slice(at, at + BATCH)
          .map(({ keyId, id }) => ({ key_id: text(keyId), request_id: text(id) }));
        for (const item of await readMany(client, tables.usage, keys)) cost += readInteger(item, 'cost');
      }
      return cost;
    },
    async *usage(accountId) {
      for await (const keyId of keyIds(client, tables.keys, accountId))
        yield* recordsOf(client, tables.usage, keyId);
    },
    readProvenUsage: (accountId) => readProvenUsage(client, tables.accounts, accountId),
    // False for this very write, if the SDK has sent it twice: then the next audit removes the costs by day that it replaces.
    storeProvenUsage(accountId, { through, cost, version }) {
      const Item = { ...provenKey(accountId), through: number(through), usage: number(cost) };
      return putNextVersion(client, { TableName: tables.accounts, Item }, version);
    },
    async removeDays(days) {
      for (const shard of new Set(days.map((each) => each.shard))) {
        const names = days.filter((each) => each.shard === shard).map(({ day }) => `spent_${day}`);
        await updateItem(client, {
          TableName: tables.wallets,
          Key: { wallet_id: text(shard) },
          UpdateExpression: `REMOVE ${names.join(', ')}`,
          // Prevents the re-creation of a shard that has been merged into another.
          ConditionExpression: 'attribute_exists(wallet_id)',
        });
      }
    },
  };
}

async function* query(client: DynamoDBClient, input: QueryCommandInput): AsyncGenerator<Item, void> {
  for await (const page of paginateQuery({ client }, input)) yield* page.Items ?? [];
}

async function readShards(
  client: DynamoDBClient,
  table: string,
  accountId: string,
): Promise<readonly WalletShard[]> {
  const first = await readItem(client, { TableName: table, Key: { wallet_id: text(accountId) } });
  if (first === undefined) return [];
  const shards = first.shards === undefined ? 1 : readNumber(first, 'shards');
  const otherKeys = Array.from({ length: shards - 1 }, (_, index) => ({
    wallet_id: text(shardId(accountId, index + 1)),
  }));
  // All at once: the shorter a reading, the fewer transfers come between its shards.
  const batches = Array.from({ length: Math.ceil(otherKeys.length / BATCH) }, (_, at) =>
    readMany(client, table, otherKeys.slice(at * BATCH, (at + 1) * BATCH)),
  );
  return [first, ...(await Promise.all(batches)).flat()].map(decodeShard);
}

const DAY = /^spent_(\d+)$/;

function decodeShard(item: Item): WalletShard {
  const optional = (name: string): NanoUsd | undefined =>
    item[name] === undefined ? undefined : readInteger(item, name);
  const days = Object.keys(item).flatMap((name): [number, NanoUsd][] => {
    const day = DAY.exec(name)?.[1];
    return day === undefined ? [] : [[Number(day), readInteger(item, name)]];
  });
  return {
    id: readText(item, 'wallet_id'),
    balance: readInteger(item, 'balance'),
    holds: Object.entries(item.holds?.M ?? {}).map(([id, { S: entry = '' }]) => {
      // `<key>|<kind>|<amount>|<expires>|<attempt>`, or `<key>|lease|<amount>|<expires>|<sequence>|<settled>|<settled>`
      const [keyId = '', kind, amount = '', , , ...settled] = entry.split('|');
      return {
        id,
        keyId,
        amount: BigInt(amount),
        // A hold is taken after its request has come, and a lease after its minute has begun.
        created: Math.floor(timeOfId(id) / 1000),
        ...(kind === 'lease' ? { settled: settled.reduce((sum, each) => sum + BigInt(each), 0n) } : {}),
      };
    }),
    debt: optional('owed') ?? 0n,
    entries: Number(optional('entries') ?? 0n),
    received: readInteger(item, 'received'),
    netCash: optional('net_cash') ?? 0n,
    payableCash: optional('payable_cash') ?? 0n,
    spentAmount: optional('spent') ?? 0n,
    spentByDay: new Map(days),
  };
}

/** The keys of an account in their order, from an index that a key enters within moments of its making. */
async function* keyIds(
  client: DynamoDBClient,
  table: string,
  accountId: string,
): AsyncGenerator<string, void> {
  const rows = query(client, {
    TableName: table,
    IndexName: TABLES.keys.indexes[0].name,
    KeyConditionExpression: 'account_id = :account',
    ExpressionAttributeValues: { ':account': text(accountId) },
  });
  for await (const item of rows) yield readText(item, 'key_id');
}

async function* recordsOf(
  client: DynamoDBClient,
  table: string,
  keyId: string,
): AsyncGenerator<AuditedCall, void> {
  const rows = query(client, {
    TableName: table,
    ConsistentRead: true,
    KeyConditionExpression: 'key_id = :key',
    ProjectionExpression: 'request_id, created, cost, #lease',
    ExpressionAttributeNames: { '#lease': 'lease' },
    ExpressionAttributeValues: { ':key': text(keyId) },
  });
  for await (const item of rows) yield decodeCall(item, keyId);
}

/** The records of a lease, whose request ids lie from shortly before its minute until its end. */
async function* recordsOfLease(
  client: DynamoDBClient,
  table: string,
  { keyId, id }: Pick<AuditedCall, 'keyId' | 'id'>,
): AsyncGenerator<AuditedCall, void> {
  const { from, to } = requestRange(timeOfId(id));
  const rows = query(client, {
    TableName: table,
    ConsistentRead: true,
    KeyConditionExpression: 'key_id = :key AND request_id BETWEEN :from AND :to',
    FilterExpression: '#lease = :lease',
    ExpressionAttributeNames: { '#lease': 'lease' },
    ExpressionAttributeValues: {
      ':key': text(keyId),
      ':from': text(from),
      ':to': text(to),
      ':lease': text(id),
    },
  });
  for await (const item of rows) yield decodeCall(item, keyId);
}

const decodeCall = (item: Item, keyId: string): AuditedCall => ({
  keyId,
  id: readText(item, 'request_id'),
  created: readNumber(item, 'created'),
  cost: readInteger(item, 'cost'),
  ...(item.lease?.S === undefined ? {} : { lease: item.lease.S }),
});
