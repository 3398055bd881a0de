/** Everything that has changed the credit of an account, and its wallet, as of one instant. */
import { type DynamoDBClient, paginateQuery } from '@aws-sdk/client-dynamodb';
import type { DynamoClients } from '../../../platform/aws/clients.ts';
import { requireTable } from '../../../platform/contract/tables.ts';
import type { NanoUsd } from '../../../platform/core/money.ts';
import { retryOptimistically } from '../../../platform/core/optimistic.ts';
import { readNumber, readText, text } from '../../../platform/dynamodb/attribute-values.ts';
import { changeOf } from '../../core/ledger-entry.ts';
import type { DatedEntry } from '../../core/usage/charges.ts';
import type { CreditHistory } from '../../core/usage/statement.ts';
import { decodeEntry, ENTRY_RANGE } from '../ledger-entry.ts';
import { type Shard, toWallet } from '../wallet/item.ts';
import { WalletReads } from '../wallet/reads.ts';
import { readProvenUsage } from './proven-usage.ts';
import { createRollupStore } from './rollup-store.ts';

/** Each further one means that credit was added or removed within milliseconds. */
const MAX_ATTEMPTS = 5;

interface CreditHistoryOptions {
  readonly clients: DynamoClients;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Returns a reader of credit histories. It throws if the account has no wallet. */
export function createCreditHistory({ clients: { client }, environment }: CreditHistoryOptions) {
  const accounts = requireTable(environment, 'accounts');
  const wallets = new WalletReads(client, requireTable(environment, 'wallets'));
  const readUsage = createUsageReader(client, accounts);

  async function readEntries(accountId: string): Promise<readonly DatedEntry[]> {
    const entries: DatedEntry[] = [];
    const pages = paginateQuery(
      { client },
      {
        TableName: accounts,
        ConsistentRead: true,
        KeyConditionExpression: 'account_id = :account AND #item BETWEEN :first AND :last',
        ExpressionAttributeNames: { '#item': 'item' },
        ExpressionAttributeValues: { ':account': text(accountId), ...ENTRY_RANGE },
      },
    );
    for await (const { Items: items = [] } of pages)
      for (const item of items)
        entries.push({
          ...decodeEntry(item),
          source: readText(item, 'source'),
          created: readNumber(item, 'created'),
        });
    return entries;
  }

  return (accountId: string): Promise<CreditHistory> =>
    retryOptimistically(MAX_ATTEMPTS, 'the wallet', async () => {
      const shards = await wallets.readAll(accountId);
      if (shards.length === 0) throw new Error(`account ${accountId} has no wallet`);
      const [entries, usage] = [await readEntries(accountId), await readUsage(accountId, shards, 0)];
      const received = shards.reduce((sum, shard) => sum + shard.received, 0n);
      // An entry that came between the two reads is in one of them only.
      if (entries.reduce((sum, entry) => sum + changeOf(entry), 0n) !== received) return undefined;
      return { wallet: toWallet(accountId, shards), entries, usage };
    });
}

/**
 * Returns a reader of the cost of an account by the UTC day, from that day on. It reads the days that an audit has verified
 * after the shards, which lose those days. What the shards have of later days belongs to the same instant as their balance.
 */
export function createUsageReader(client: DynamoDBClient, accounts: string) {
  const rollups = createRollupStore(client, accounts);
  return async (
    accountId: string,
    shards: readonly Shard[],
    from: number,
  ): Promise<CreditHistory['usage']> => {
    const { through } = await readProvenUsage(client, accounts, accountId);
    const usage = new Map<number, NanoUsd>();
    const add = (day: number, cost: NanoUsd) => usage.set(day, (usage.get(day) ?? 0n) + cost);
    const verified = through < from ? [] : await rollups.days(accountId, from, through);
    for (const { day, rows } of verified) for (const { cost } of rows) add(day, cost);
    for (const { spentByDay } of shards)
      for (const [day, cost] of spentByDay) if (day > through && day >= from) add(day, cost);
    return usage;
  };
}
