/** Pages of all accounts with the totals of their wallets, by a scan of the wallets that reads no more than a page. */
import { type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import type { Account } from '../../access/core/accounts/accounts.ts';
import { accountKey, decodeAccount } from '../../access/store/accounts/account-item.ts';
import { requireTable } from '../../platform/contract/tables.ts';
import { readText, text } from '../../platform/dynamodb/attribute-values.ts';
import { readMany } from '../../platform/dynamodb/reads.ts';
import type { AccountSummaries, AccountSummary } from '../core/account-summaries.ts';
import { decodeShard, indexOf, type Shard, toWallet } from './wallet/item.ts';
import { WalletReads } from './wallet/reads.ts';

/** Bounds the pages that are read: a wallet in thousands of shards fills some that have no account. */
const MAX_SCANS = 5;

export interface AccountSummariesOptions {
  readonly client: DynamoDBClient;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * Creates the summaries. Each wallet is summed as of one instant within the last second. A page has no account that was
 * opened within the last second. It may have fewer accounts than requested, even if there are more.
 */
export function createAccountSummaries({ client, environment }: AccountSummariesOptions): AccountSummaries {
  const wallets = requireTable(environment, 'wallets');
  const accounts = requireTable(environment, 'accounts');
  const reads = new WalletReads(client, wallets);

  async function scan(after: string | undefined, maxItems: number) {
    const { Items: items = [], LastEvaluatedKey: last } = await client.send(
      new ScanCommand({
        TableName: wallets,
        Limit: maxItems,
        ...(after === undefined ? {} : { ExclusiveStartKey: { wallet_id: text(after) } }),
      }),
    );
    const firsts = items.map(decodeShard).filter(({ walletId }) => indexOf(walletId) === 0);
    return { firsts, next: last === undefined ? undefined : readText(last, 'wallet_id') };
  }

  const shardsOf = async (first: Shard): Promise<readonly Shard[]> =>
    first.shards === 1 ? [first] : reads.readAll(first.walletId);

  async function withAccounts(firsts: readonly Shard[]): Promise<readonly AccountSummary[]> {
    if (firsts.length === 0) return [];
    const keys = firsts.map(({ walletId }) => accountKey(walletId));
    const storedAccounts = (await readMany(client, accounts, keys, false)).map(decodeAccount);
    const accountsById = new Map(storedAccounts.map((account) => [account.id, account]));
    return Promise.all(
      firsts.map(async (first) =>
        summaryOf(first.walletId, await shardsOf(first), accountsById.get(first.walletId)),
      ),
    );
  }

  return async ({ limit, after }) => {
    const firsts: Shard[] = [];
    let next = after;
    for (let scans = 0; scans < MAX_SCANS && firsts.length < limit; scans += 1) {
      const page = await scan(next, limit - firsts.length);
      firsts.push(...page.firsts);
      next = page.next;
      if (next === undefined) break;
    }
    return { entries: await withAccounts(firsts), next };
  };
}

function summaryOf(id: string, shards: readonly Shard[], account: Account | undefined): AccountSummary {
  const { balance, debt, holds } = toWallet(id, shards);
  return {
    id,
    email: account?.email,
    created: account?.created,
    balance,
    heldAmount: holds.reduce((sum, { amount }) => sum + amount, 0n),
    debt,
    spentAmount: shards.reduce((sum, { spentAmount }) => sum + spentAmount, 0n),
  };
}
