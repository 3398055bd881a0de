/** The shards of wallets as they are stored, and what is wrong with any of them by itself. */
import { paginateScan } from '@aws-sdk/client-dynamodb';
import type { TestDatabase } from '../../../tools/test-kit/engine.ts';
import { decodeShard, MAX_HOLDS, type Shard } from '../store/wallet/item.ts';

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

/** Returns the violated invariants of all shards in the database, also of one that its account does not count. */
export async function brokenShards({
  client,
  tables,
}: Pick<TestDatabase, 'client' | 'tables'>): Promise<string[]> {
  const broken: string[] = [];
  const input = { TableName: tables.wallets, ConsistentRead: true };
  for await (const { Items: items = [] } of paginateScan({ client }, input))
    broken.push(...items.map(decodeShard).flatMap(brokenShard));
  return broken;
}
