/**
 * Entries of the books and what they change in a wallet, in one transaction. Credit that is taken back after it was
 * spent is owed: no balance goes below zero, and what comes in next pays it first.
 */
import type { DynamoDBClient, TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { least, type NanoUsd } from '../../../platform/core/money.ts';
import { optimistically } from '../../../platform/core/optimistic.ts';
import { number, text } from '../../../platform/dynamodb/attribute-values.ts';
import { transact } from '../../../platform/dynamodb/transaction.ts';
import type { Shard } from './item.ts';
import { WalletReads } from './reads.ts';

/** Each further try means that a call moved the balance within milliseconds. */
const MAX_TRIES = 20;

/**
 * Shards that one transaction changes; more are changed by the transactions after it. A purchase changes two wallets in
 * one, and a transaction has room for 100 items (API reference, TransactWriteItems).
 */
const MAX_CHANGES = 45;

/** `repeated`: a condition of the writes does not hold, and nothing has changed. */
export type PostingResult = 'posted' | 'repeated' | 'no wallet';

/** The fields of a shard that decide how it changes. */
type ShardState = Pick<Shard, 'walletId' | 'balance' | 'owed'>;

/** The intended state of one shard. */
interface ShardChange extends ShardState {
  readonly by: NanoUsd;
  readonly owedAfter: NanoUsd | undefined;
}

export class WalletPostings {
  readonly #client: DynamoDBClient;
  readonly #table: string;
  readonly #reads: WalletReads;

  constructor(client: DynamoDBClient, table: string) {
    this.#client = client;
    this.#table = table;
    this.#reads = new WalletReads(client, table);
  }

  /** Makes the writes, and changes what the account has by `change`, which may be less than 0. Exactly once, or not at all. */
  async post(
    accountId: string,
    change: NanoUsd,
    writes: readonly TransactWriteItem[],
  ): Promise<PostingResult> {
    // Credit to an account that owes nothing needs no reading.
    const unread = { walletId: accountId, balance: 0n, owed: undefined };
    let changes: readonly ShardChange[] | undefined =
      change < 0n ? undefined : [{ ...unread, by: change, owedAfter: undefined }];
    const posted = await optimistically<PostingResult>(MAX_TRIES, 'the wallet', async () => {
      if (changes !== undefined) {
        const result = await transact(this.#client, [
          ...writes,
          ...changes.map((each) => this.#update(each, 1)),
        ]);
        if (result.done) return 'posted';
        if (result.failed.some((place) => place < writes.length)) return 'repeated';
      }
      const shards = await this.#reads.readAll(accountId);
      if (shards.length === 0) return 'no wallet';
      changes = distribute(shards, change, MAX_CHANGES);
      return undefined;
    });
    // What a wallet in very many shards owes is paid by the other shards after the posting.
    if (posted === 'posted' && changes?.some(({ owedAfter }) => owedAfter !== undefined))
      await this.collect(accountId);
    return posted;
  }

  /**
   * The writes that change what an account has by `change`, as it is now, for a transaction of the caller's own that may
   * find it moved. Undefined when there is no wallet, or when it is to give what it does not have: owing is for refunds.
   */
  async plan(accountId: string, change: NanoUsd): Promise<readonly TransactWriteItem[] | undefined> {
    const shards = await this.#reads.readAll(accountId);
    const changes = distribute(shards, change, MAX_CHANGES);
    const owing = changes.some(({ owed, owedAfter }) => owed !== undefined || owedAfter !== undefined);
    if (changes.length === 0 || (change < 0n && owing)) return undefined;
    return changes.map((each) => this.#update(each, 1));
  }

  /** Pays what is owed from what has been returned to the balance. Where calls move it meanwhile, the next one tries again. */
  async collect(accountId: string): Promise<void> {
    for (let changed = MAX_CHANGES, done = true; done && changed === MAX_CHANGES; ) {
      const shards = await this.#reads.readAll(accountId);
      const changes = distribute(shards, 0n, MAX_CHANGES);
      changed = changes.length;
      const moved = changes.filter(({ by, owed, owedAfter }) => by !== 0n || owed !== owedAfter);
      if (moved.length === 0) return;
      const writes = moved.map((each) => this.#update(each, 0));
      ({ done } = await transact(this.#client, writes));
    }
  }

  #update({ walletId, by, owed, owedAfter }: ShardChange, entries: number): TransactWriteItem {
    const clear = owedAfter === undefined ? ' REMOVE owed' : '';
    const mark = owedAfter === undefined ? '' : ', owed = :after';
    return {
      Update: {
        TableName: this.#table,
        Key: { wallet_id: text(walletId) },
        UpdateExpression: `SET balance = balance + :by, entries = if_not_exists(entries, :none) + :one, received = received + :received${mark}${clear}`,
        ConditionExpression: [
          'balance >= :least',
          owed === undefined ? 'attribute_not_exists(owed)' : 'owed = :owed',
        ].join(' AND '),
        ExpressionAttributeValues: {
          ':by': number(by),
          ':least': number(by < 0n ? -by : 0n),
          ':none': number(0),
          ':one': number(entries),
          ':received': number(by - ((owedAfter ?? 0n) - (owed ?? 0n))),
          ...(owed === undefined ? {} : { ':owed': number(owed) }),
          ...(owedAfter === undefined ? {} : { ':after': number(owedAfter) }),
        },
      },
    };
  }
}

/**
 * Spreads a change over the shards of a wallet, the first one first and then the richest. What is owed and what is taken
 * back are paid from what comes in and from every balance; what these do not give is owed. The shards that nothing
 * changes are left out, and of the others those beyond the `most` that can be changed together.
 */
function distribute(shards: readonly ShardState[], change: NanoUsd, most: number): readonly ShardChange[] {
  const [first, ...rest] = shards;
  if (first === undefined) return [];
  const richest = rest.toSorted((a, b) => (a.balance < b.balance ? 1 : -1));
  let due = (first.owed ?? 0n) + (change < 0n ? -change : 0n);
  const income = change > 0n ? change : 0n;
  let changed = 0;
  const changes = [first, ...richest].map((shard) => {
    const gain = shard === first ? income : 0n;
    const paid = changed < most ? least(shard.balance + gain, due) : 0n;
    if (shard === first || paid > 0n) changed += 1;
    due -= paid;
    return { ...shard, by: gain - paid };
  });
  return changes
    .map((each, index) => ({ ...each, owedAfter: due === 0n ? undefined : index === 0 ? due : 0n }))
    .filter(({ by, owed, owedAfter }, index) => index === 0 || by !== 0n || owed !== owedAfter)
    .slice(0, most);
}
