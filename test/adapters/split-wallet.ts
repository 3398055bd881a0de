/** Puts a wallet into parts at once, as load does over time. */
import { DeleteItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { number, text } from '../../lambdas/adapters/dynamodb/attribute-values.ts';
import { partId } from '../../lambdas/adapters/ledger/wallet/item.ts';
import { WalletReads } from '../../lambdas/adapters/ledger/wallet/reads.ts';
import { growParts, shrinkParts } from '../../lambdas/adapters/ledger/wallet/size.ts';
import { WalletTransfers } from '../../lambdas/adapters/ledger/wallet/transfer.ts';
import type { NanoUsd } from '../../lambdas/core/money.ts';
import type { TestDatabase } from './engine.ts';

/** Makes a part for each share, or some more, and moves the shares there; the first part keeps the rest. */
export async function splitWallet(
  database: TestDatabase,
  accountId: string,
  shares: readonly NanoUsd[],
): Promise<void> {
  const { client, tables } = database;
  const reads = new WalletReads(client, tables.wallets);
  const transfers = new WalletTransfers(client, tables.wallets);
  const partAt = async (index: number) => {
    const part = await reads.read(partId(accountId, index));
    if (part === undefined) throw new Error(`there is no part ${index} of ${accountId}`);
    return part;
  };
  const move = async (from: number, to: number, amount: NanoUsd) => {
    if (amount <= 0n) return;
    const donor = { part: await partAt(from), amount };
    if (!(await transfers.move([donor], await partAt(to)))) throw new Error('the wallet has less, or moves');
  };
  for (let { parts } = await partAt(0); parts <= shares.length; { parts } = await partAt(0)) {
    await growParts(client, tables.wallets, accountId, parts);
  }
  const { parts } = await partAt(0);
  for (let index = 1; index < parts; index += 1) await move(index, 0, (await partAt(index)).balance);
  for (const [at, share] of shares.entries()) await move(0, at + 1, share);
  // There are exactly as many as were asked for.
  for (let index = shares.length + 1; index < parts; index += 1)
    await client.send(
      new DeleteItemCommand({
        TableName: tables.wallets,
        Key: { wallet_id: text(partId(accountId, index)) },
      }),
    );
  await shrinkParts(client, tables.wallets, accountId, { from: parts, to: shares.length + 1 });
}

/** Sets how many parts are counted, as merging may leave it: not all of them exist. */
export async function countParts(
  { client, tables }: TestDatabase,
  accountId: string,
  parts: number,
): Promise<void> {
  await client.send(
    new UpdateItemCommand({
      TableName: tables.wallets,
      Key: { wallet_id: text(accountId) },
      UpdateExpression: 'SET parts = :parts',
      ExpressionAttributeValues: { ':parts': number(parts) },
    }),
  );
}
