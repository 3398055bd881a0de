/**
 * Entries of the books and what they change in a wallet, in one transaction. Credit that is taken back after it was
 * spent is owed: no balance goes below zero, and what comes in next pays it first.
 */
import type { DynamoDBClient, TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { greatest, type NanoUsd } from '../../core/money.ts';
import { optimistically } from '../../core/optimistic.ts';
import { type Item, number, readInteger, readText } from '../dynamodb/attribute-values.ts';
import { transact } from '../dynamodb/transaction.ts';
import { coverOfOthers, decodeOwed, decodeWallet, EXPOSED_AT_MOST } from './wallet-item.ts';
import type { WalletShards } from './wallet-shard.ts';

/** Each further try means that a call moved the balance within milliseconds. */
const MAX_TRIES = 20;

/** `repeated`: a condition of the writes does not hold, and nothing has changed. */
export type Posted = 'posted' | 'repeated' | 'no wallet';

/** What one item has, and whether it is marked as an owing account's. */
interface ShardState {
  readonly walletId: string;
  readonly balance: NanoUsd;
  readonly owed: NanoUsd | undefined;
  /** The exposure of its open holds that it must keep cover for, if any. */
  readonly exposure?: NanoUsd;
}

/** What one item is to have. */
interface ShardChange extends ShardState {
  readonly by: NanoUsd;
  readonly owedAfter: NanoUsd | undefined;
}

export class WalletPostings {
  readonly #client: DynamoDBClient;
  readonly #shards: WalletShards;

  constructor(client: DynamoDBClient, shards: WalletShards) {
    this.#client = client;
    this.#shards = shards;
  }

  /** Makes the writes, and changes what the account has by `change`, which may be less than 0. Exactly once, or not at all. */
  async post(accountId: string, change: NanoUsd, writes: readonly TransactWriteItem[]): Promise<Posted> {
    // Credit to an account that owes nothing needs no reading.
    const unread = { walletId: accountId, balance: 0n, owed: undefined };
    let changes: readonly ShardChange[] | undefined =
      change < 0n ? undefined : [{ ...unread, by: change, owedAfter: undefined }];
    return optimistically<Posted>(MAX_TRIES, 'the wallet', async () => {
      if (changes !== undefined) {
        const result = await transact(this.#client, [
          ...writes,
          ...changes.map((each) => this.#update(each, 1)),
        ]);
        if (result.done) return 'posted';
        if (result.failed.some((place) => place < writes.length)) return 'repeated';
      }
      const shards = (await this.#shards.readAll(accountId)).map(decodeState);
      if (shards.length === 0) return 'no wallet';
      changes = distribute(shards, change);
      return undefined;
    });
  }

  /**
   * The writes that change what an account has by `change`, as it is now, for a transaction of the caller's own that may
   * find it moved. Undefined when there is no wallet, or when it is to give what it does not have: owing is for refunds.
   */
  async plan(accountId: string, change: NanoUsd): Promise<readonly TransactWriteItem[] | undefined> {
    const items = await this.#shards.readAll(accountId);
    const changes = distribute(items.map(change < 0n ? spendable : decodeState), change);
    const owing = changes.some(({ owed, owedAfter }) => owed !== undefined || owedAfter !== undefined);
    if (changes.length === 0 || (change < 0n && owing)) return undefined;
    return changes.map((each) => this.#update(each, 1));
  }

  /** Pays what is owed from what has returned to the balance. Where calls move it meanwhile, the next one tries again. */
  async collect(accountId: string): Promise<void> {
    const changes = distribute((await this.#shards.readAll(accountId)).map(decodeState), 0n);
    const moved = changes.filter(({ by, owed, owedAfter }) => by !== 0n || owed !== owedAfter);
    if (moved.length > 0)
      await transact(
        this.#client,
        moved.map((each) => this.#update(each, 0)),
      );
  }

  #update({ walletId, by, owed, owedAfter, exposure }: ShardChange, entries: number): TransactWriteItem {
    const covered = exposure === undefined ? '' : ` AND ${EXPOSED_AT_MOST}`;
    const clear = owedAfter === undefined ? ' REMOVE owed' : '';
    const mark = owedAfter === undefined ? '' : ', owed = :after';
    return {
      Update: {
        ...this.#shards.key(walletId),
        UpdateExpression: `SET balance = balance + :by, entries = if_not_exists(entries, :none) + :one${mark}${clear}`,
        ConditionExpression: `balance >= :least AND ${owed === undefined ? 'attribute_not_exists(owed)' : 'owed = :owed'}${covered}`,
        ExpressionAttributeValues: {
          ':by': number(by),
          ':least': number(by < 0n ? coverOfOthers(exposure ?? 0n) - by : 0n),
          ':none': number(0),
          ':one': number(entries),
          ...(exposure === undefined ? {} : { ':others': number(exposure) }),
          ...(owed === undefined ? {} : { ':owed': number(owed) }),
          ...(owedAfter === undefined ? {} : { ':after': number(owedAfter) }),
        },
      },
    };
  }
}

const decodeState = (item: Item): ShardState => ({
  walletId: readText(item, 'wallet_id'),
  balance: readInteger(item, 'balance'),
  owed: decodeOwed(item),
});

/** The item with what it can give while calls are open that may cost more than they hold. */
function spendable(item: Item): ShardState {
  const { exposure } = decodeWallet(item);
  const state = decodeState(item);
  return { ...state, balance: greatest(state.balance - coverOfOthers(exposure), 0n), exposure };
}

/**
 * Spreads a change over the items of a wallet, the first one first. What is owed and what is taken back are paid from
 * what comes in and from every balance; what these do not give is owed. The items that nothing changes are left out.
 */
function distribute(shards: readonly ShardState[], change: NanoUsd): readonly ShardChange[] {
  const [first] = shards;
  if (first === undefined) return [];
  let due = (first.owed ?? 0n) + (change < 0n ? -change : 0n);
  const income = change > 0n ? change : 0n;
  const changes = shards.map((shard) => {
    const gain = shard === first ? income : 0n;
    const has = shard.balance + gain;
    const paid = has < due ? has : due;
    due -= paid;
    return { ...shard, by: gain - paid };
  });
  return changes
    .map((each, index) => ({ ...each, owedAfter: due === 0n ? undefined : index === 0 ? due : 0n }))
    .filter(({ by, owed, owedAfter }, index) => index === 0 || by !== 0n || owed !== owedAfter);
}
