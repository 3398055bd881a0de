/**
 * The sweep's maintenance of wallets. It merges shards that are no longer needed into the first one, from the last one
 * down, so that their indexes have no gap. Safe to repeat, to race with calls and to interrupt.
 */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { number, text } from '../../../platform/dynamodb/attribute-values.ts';
import { transact } from '../../../platform/dynamodb/transaction.ts';
import { type Shard, spentOn } from './item.ts';
import { WalletReads } from './reads.ts';
import { shardUpdate } from './update.ts';

/** With so few open holds a shard, half as many shards do as well. */
const FEW_HOLDS = 2;

export class WalletMaintenance {
  readonly #client: DynamoDBClient;
  readonly #table: string;
  readonly #reads: WalletReads;

  constructor(client: DynamoDBClient, table: string) {
    this.#client = client;
    this.#table = table;
    this.#reads = new WalletReads(client, table);
  }

  /**
   * Merges at most half of an account's shards, so that a wallet with occasional load retains most of them. A shard
   * with an open hold, or with a concurrent change, stops the merge until the next sweep.
   */
  async tidy(accountId: string): Promise<void> {
    const [first, ...otherShards] = await this.#reads.readAll(accountId);
    if (first === undefined || first.debt !== undefined) return;
    const open = [first, ...otherShards].reduce((sum, { holds }) => sum + holds.length, 0);
    const minShards = Math.max(1, Math.floor(first.shards / 2), Math.ceil(open / FEW_HOLDS));
    for (let count = first.shards; count > minShards; count -= 1) {
      const last = otherShards[count - 2];
      if (last === undefined || last.holds.length > 0 || !(await this.#merge(first.walletId, last, count)))
        return;
    }
  }

  /** Moves all that the last of `count` shards has into the first one and deletes it; false when either has moved. */
  async #merge(firstId: string, last: Shard, count: number): Promise<boolean> {
    const { walletId, balance, spentAmount, received, entries, spentByDay } = last;
    const { done } = await transact(this.#client, [
      {
        Delete: {
          TableName: this.#table,
          Key: { wallet_id: text(walletId) },
          // A hold that came and went at no cost has changed nothing.
          ConditionExpression:
            'size(holds) = :none AND balance = :balance AND spent = :spent AND received = :received AND entries = :entries AND attribute_not_exists(owed)',
          ExpressionAttributeValues: {
            ':none': number(0),
            ':balance': number(balance),
            ':spent': number(spentAmount),
            ':received': number(received),
            ':entries': number(entries),
          },
        },
      },
      {
        Update: shardUpdate(this.#table, firstId, {
          add: {
            shards: -1n,
            balance,
            spent: spentAmount,
            received,
            entries: 1n,
            ...Object.fromEntries([...spentByDay].map(([day, cost]) => [spentOn(day), cost])),
          },
          expected: { shards: number(count), owed: undefined },
        }),
      },
    ]);
    return done;
  }
}
