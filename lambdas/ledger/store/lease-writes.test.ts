import { type DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect } from '@jest/globals';
import { it } from '../../../tools/test-kit/search.ts';
import { seedOf } from '../../../tools/test-kit/seed.ts';
import { rounds } from '../../../tools/test-kit/thorough.ts';
import { encodeNewKey } from '../../access/store/keys/key-item.ts';
import { createKeyStore } from '../../access/store/keys/key-store.ts';
import { leaseText } from '../../access/store/keys/lease-entries.ts';
import type { DynamoClients } from '../../platform/aws/clients.ts';
import { type Item, map, number, text } from '../../platform/dynamodb/attribute-values.ts';
import { fileDatabase } from '../../platform/testing/file-database.ts';
import { aroundSend } from '../testing/failing-process.ts';
import { playHistory } from '../testing/leases/history.ts';
import { type KeyItem, keyStateOf, type WalletItem, walletOf } from '../testing/leases/items.ts';
import type { ExecutedWrite } from '../testing/leases/simulated-database.ts';
import { accountOf, encodeHold, encodeLeaseHold, spentOn } from './wallet/item.ts';
import { WalletReads } from './wallet/reads.ts';
import { createWalletStore } from './wallet/store.ts';

const HISTORIES = rounds(4);

const database = fileDatabase();

/** The attributes of a counter in the simulated item are named after what it counts. */
const SIMULATED_LETTERS: Readonly<Record<string, string>> = {
  requests: 'r',
  tokens: 't',
  day: 'd',
  month: 'm',
};

function encodeKey({ counters, leases, status, version, used, ...key }: KeyItem): Item {
  const left = [...counters].map(([name, value]) => {
    const [what = '', window = ''] = name.split(' ');
    return [`${SIMULATED_LETTERS[what]}${window}`, number(value)] as const;
  });
  return {
    ...encodeNewKey({ ...key, secretHash: 'hash', name: 'test', created: 0 }),
    ...Object.fromEntries(left),
    status: text(status),
    version: number(version),
    leases: map(Object.fromEntries([...leases].map(([id, entry]) => [id, leaseText(entry)]))),
    ...(used === undefined ? {} : { used: number(used) }),
  };
}

const encodeWallet = (item: WalletItem, shards: number): Item => ({
  wallet_id: text(item.walletId),
  balance: number(item.balance),
  received: number(item.received),
  spent: number(item.spent),
  ...(item.debt === 0n ? {} : { owed: number(item.debt) }),
  ...(shards > 1 && !item.walletId.includes('#') ? { shards: number(shards) } : {}),
  ...Object.fromEntries([...item.spentByDay].map(([day, spent]) => [spentOn(day), number(spent)])),
  holds: map({
    ...Object.fromEntries([...item.leases].map(([id, entry]) => [id, encodeLeaseHold(entry)])),
    ...Object.fromEntries([...item.holds].map(([id, hold]) => [id, encodeHold(hold)])),
  }),
});

/** The size and the operators of the largest expression that was sent. */
const largest = { bytes: 0, operators: 0 };

const OPERATORS = /if_not_exists|attribute_(not_)?exists|\bAND\b|\bOR\b|[-+=<>]+/g;

function measureExpressions(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, each] of Object.entries(value)) {
    if (!name.endsWith('Expression') || typeof each !== 'string') {
      measureExpressions(each);
      continue;
    }
    largest.bytes = Math.max(largest.bytes, Buffer.byteLength(each));
    largest.operators = Math.max(largest.operators, each.match(OPERATORS)?.length ?? 0);
  }
}

/** The database, with every expression measured on its way. */
function measured(): DynamoClients {
  const around = (client: DynamoDBClient) =>
    aroundSend(client, (command, send) => {
      measureExpressions((command as { readonly input: unknown }).input);
      return send(command);
    });
  return { client: around(database.client), onceClient: around(database.onceClient) };
}

const put = (table: string, item: Item) =>
  database.client.send(new PutItemCommand({ TableName: table, Item: item }));

/** Executes the write on the same items, and expects the same of them. */
async function executeKey(executed: Extract<ExecutedWrite, { side: 'key' }>): Promise<void> {
  const { write, before, after, applied, nowSeconds } = executed;
  await put(database.tables.keys, encodeKey(before));
  const options = { clients: measured(), table: database.tables.keys, clock: () => nowSeconds * 1000 };
  const result = await createKeyStore(options).writeLease(write);
  expect({ write, applied: result.applied }).toEqual({ write, applied });
  expect(result.item).toMatchObject(keyStateOf(after, write.windows));
}

async function executeWallet(executed: Extract<ExecutedWrite, { side: 'wallet' }>): Promise<void> {
  const { write, before, after, applied, across } = executed;
  const table = database.tables.wallets;
  for (const shard of before) await put(table, encodeWallet(shard, before.length));
  const accountId = accountOf(write.walletId);
  const wallets = createWalletStore(measured(), table);
  // A process that has met the shards.
  await wallets.read(accountId);
  const result = await wallets.writeLease(write);
  expect({ write, applied: result.applied }).toEqual({ write, applied });
  const expected = after.find(({ walletId }) => walletId === write.walletId) as WalletItem;
  const { holds, balance, debt, spentAmount } = walletOf(accountId, [expected]);
  const byId = ({ id }: { readonly id: string }, other: { readonly id: string }) => (id < other.id ? -1 : 1);
  expect(result.item?.holds.toSorted(byId)).toMatchObject(holds.toSorted(byId));
  const stored = await new WalletReads(database.client, table).readAll(accountId);
  const sum = (parts: readonly bigint[]) => parts.reduce((total, amount) => total + amount, 0n);
  for (const { received, balance, spentAmount, debt = 0n, holds: open } of stored)
    expect(received).toBe(balance + sum(open.map(({ amount }) => amount)) + spentAmount - debt);
  expect(sum(stored.map((shard) => shard.balance))).toBe(sum(after.map((shard) => shard.balance)));
  const shard = stored.find(({ walletId }) => walletId === write.walletId);
  expect(shard).toMatchObject({ spentAmount: expected.spent, spentByDay: expected.spentByDay });
  // Credit that moves between shards may come from any of them.
  if (!across) expect(result.item).toMatchObject({ balance, debt, spentAmount });
}

describe('the writes of leases on the real engine', () => {
  it('produce the results of the simulated database, for every write of a history', async () => {
    const first = seedOf('lease writes') >>> 8;
    const counts = { applied: 0, refused: 0, across: 0 };
    for (let at = 0; at < HISTORIES; at += 1) {
      const writes: ExecutedWrite[] = [];
      await playHistory(first + at, (executed) => writes.push(executed));
      for (const executed of writes) {
        counts[executed.applied ? 'applied' : 'refused'] += 1;
        if (executed.side === 'key') await executeKey(executed);
        else await executeWallet(executed);
        if (executed.side === 'wallet' && executed.across) counts.across += 1;
      }
    }
    expect(counts.applied).toBeGreaterThan(HISTORIES * 10);
    expect(counts.refused).toBeGreaterThan(0);
    // DynamoDB developer guide, Quotas: expressions of 4 KB, with at most 300 operators and functions in an update.
    expect(largest.operators).toBeGreaterThan(5);
    expect(largest.operators).toBeLessThanOrEqual(300);
    expect(largest.bytes).toBeLessThanOrEqual(4_096);
  }, 600_000);
});
