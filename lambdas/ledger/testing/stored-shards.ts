/** The shards of wallets as they are stored, and what is wrong with any of them by itself. */
import { paginateScan } from '@aws-sdk/client-dynamodb';
import type { TestDatabase } from '../../../tools/test-kit/engine.ts';
import { decodeShard, MAX_HOLDS, type Shard } from '../store/wallet/item.ts';

type Tables = Pick<TestDatabase, 'client' | 'tables'>;

/** Every shard of every wallet, also one that its account does not count; each read in one piece. */
async function storedShards({ client, tables }: Tables): Promise<readonly Shard[]> {
  const shards: Shard[] = [];
  const input = { TableName: tables.wallets, ConsistentRead: true };
  for await (const { Items: items = [] } of paginateScan({ client }, input))
    shards.push(...items.map(decodeShard));
  return shards;
}

/** Returns the violated invariants of a shard, which apply at every instant. Empty if nothing is wrong. */
export function brokenShard({ walletId, received, balance, holds, spentAmount, debt }: Shard): string[] {
  const broken: string[] = [];
  const heldAmount = holds.reduce((sum, { amount }) => sum + amount, 0n);
  if (balance < 0n) broken.push(`${walletId} has ${balance}`);
  if (received === undefined) return broken;
  if (received !== balance + heldAmount + spentAmount - (debt ?? 0n))
    broken.push(
      `${walletId} received ${received}: ${balance} + ${heldAmount} + ${spentAmount} - ${debt ?? 0n}`,
    );
  if (holds.length > MAX_HOLDS) broken.push(`${walletId} has ${holds.length} holds`);
  return broken;
}

/** Returns the violated invariants of all shards in the database. */
export const brokenShards = async (tables: Tables): Promise<string[]> =>
  (await storedShards(tables)).flatMap(brokenShard);
