/** The parts of wallets as they are stored, and what is wrong with any of them by itself. */
import { paginateScan } from '@aws-sdk/client-dynamodb';
import { decodePart, MAX_HOLDS, type Part } from '../../lambdas/adapters/ledger/wallet/item.ts';
import type { TestDatabase } from './engine.ts';

type Tables = Pick<TestDatabase, 'client' | 'tables'>;

/** Every part of every wallet, also one that its account does not count; each read in one piece. */
export async function storedParts({ client, tables }: Tables): Promise<readonly Part[]> {
  const parts: Part[] = [];
  const input = { TableName: tables.wallets, ConsistentRead: true };
  for await (const { Items: items = [] } of paginateScan({ client }, input))
    parts.push(...items.map(decodePart));
  return parts;
}

/** What a part is at no instant: empty when nothing is wrong. */
export function brokenPart({ walletId, received, balance, holds, spent, owed }: Part): string[] {
  const broken: string[] = [];
  const held = holds.reduce((sum, { amount }) => sum + amount, 0n);
  if (balance < 0n) broken.push(`${walletId} has ${balance}`);
  if (received === undefined) return broken;
  if (received !== balance + held + spent - (owed ?? 0n))
    broken.push(`${walletId} received ${received}: ${balance} + ${held} + ${spent} - ${owed ?? 0n}`);
  if (holds.length > MAX_HOLDS) broken.push(`${walletId} has ${holds.length} holds`);
  return broken;
}

/** What is wrong with any part in the database. */
export const brokenParts = async (tables: Tables): Promise<string[]> =>
  (await storedParts(tables)).flatMap(brokenPart);
