/** Puts a wallet into parts at once, as load does over time. */
import { partId } from '../../lambdas/adapters/ledger/wallet/item.ts';
import { WalletParts } from '../../lambdas/adapters/ledger/wallet/part.ts';
import { WalletReads } from '../../lambdas/adapters/ledger/wallet/reads.ts';
import { growParts } from '../../lambdas/adapters/ledger/wallet/size.ts';
import { WalletTransfers } from '../../lambdas/adapters/ledger/wallet/transfer.ts';
import type { NanoUsd } from '../../lambdas/core/money.ts';
import type { TestDatabase } from './engine.ts';

/** Makes a part for each share and moves the share there; the first part keeps the rest. */
export async function splitWallet(
  database: TestDatabase,
  accountId: string,
  shares: readonly NanoUsd[],
): Promise<void> {
  const { client, tables } = database;
  const reads = new WalletReads(client, tables.wallets);
  const first = async () => {
    const part = await reads.read(accountId);
    if (part === undefined) throw new Error(`there is no account ${accountId}`);
    return part;
  };
  for (let { parts } = await first(); parts <= shares.length; { parts } = await first()) {
    await growParts(client, tables.wallets, accountId, parts);
  }
  const opening = { id: 'opening', keyId: 'key_0', kind: 'chat', amount: 0n, exposure: 0n } as const;
  for (const [at, amount] of shares.entries()) {
    const walletId = partId(accountId, at + 1);
    const hold = { ...opening, created: 0, expires: 1 };
    const from = { part: await first(), amount, covered: true };
    const transfers = new WalletTransfers(client, tables.wallets);
    if (!(await transfers.hold({ walletId, part: undefined }, hold, [from])))
      throw new Error('the wallet has less, or moves');
    await new WalletParts(database, tables.wallets).end(walletId, { ...hold, cost: 0n, recorded: 0 });
  }
}
