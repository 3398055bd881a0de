/**
 * Ledger entries and their changes of a wallet, in one transaction. Credit that is removed after it was spent becomes
 * debt. No balance goes below zero, and the next credit pays the debt first.
 */
import type { DynamoDBClient, TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { greatest, least, type NanoUsd } from '../../../platform/core/money.ts';
import { retryOptimistically } from '../../../platform/core/optimistic.ts';
import { throwUnlessSafeToRetry } from '../../../platform/core/transient.ts';
import { number } from '../../../platform/dynamodb/attribute-values.ts';
import { transact } from '../../../platform/dynamodb/transaction.ts';
import { addsGranted, isPayable, type WalletChange } from '../../core/ledger-entry.ts';
import { MAX_SHARDS, type Shard } from './item.ts';
import { type CashCover, coverCash, NO_CASH } from './payable-cash.ts';
import { WalletReads } from './reads.ts';
import { type ShardUpdate, shardUpdate } from './update.ts';

/** Each further try means that a call moved the balance within milliseconds. */
const MAX_ATTEMPTS = 20;

/**
 * Shards that one transaction changes; more are changed by the transactions after it. A purchase changes two wallets in
 * one, and a transaction has room for 100 items (API reference, TransactWriteItems).
 */
const MAX_CHANGES = 45;

/** `repeated`: a condition of the writes does not hold, and nothing has changed. */
export type PostingResult = 'posted' | 'repeated' | 'no wallet';

/** The fields of a shard that decide how it changes. */
type ShardState = Pick<Shard, 'walletId' | 'balance' | 'debt'>;

/** The writes of a purchase in the buyer's wallet. */
export interface PurchaseDebit {
  readonly writes: readonly TransactWriteItem[];
  /** Money that the buyer has paid in, and not used up, covers the whole price, which is deducted from it. */
  readonly payable: boolean;
}

/** The change of the money in a wallet, which its first shard has, and further conditions of that shard. */
interface CashChange extends Partial<CashCover>, Pick<ShardUpdate, 'expected'> {
  readonly by: NanoUsd;
}

/** The intended state of one shard. */
interface ShardChange extends ShardState {
  readonly by: NanoUsd;
  readonly debtAfter: NanoUsd | undefined;
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

  /**
   * Makes the writes, and changes the wallet, whose credit may decrease. Exactly once, or not at all: also not if the
   * first shard has had another number of entries than `entries`.
   */
  async post(
    accountId: string,
    { credit, cash }: WalletChange,
    writes: readonly TransactWriteItem[],
    entries?: number,
  ): Promise<PostingResult> {
    const isGranted = addsGranted({ credit, cash });
    const expected = entries === undefined ? {} : { entries: number(entries) };
    // Credit to an account without debt needs no read, unless it is granted and the account has money.
    const unread = { walletId: accountId, balance: 0n, debt: undefined };
    let money: CashChange = { by: cash, expected, ...(isGranted ? NO_CASH : {}) };
    let readings = 0;
    let changes: readonly ShardChange[] | undefined =
      credit < 0n ? undefined : [{ ...unread, by: credit, debtAfter: undefined }];
    const posted = await retryOptimistically<PostingResult>(MAX_ATTEMPTS, 'the wallet', async () => {
      if (changes !== undefined) {
        const updates = this.#updates(changes, 1n, money);
        const sent = transact(this.#client, [...writes, ...updates, ...(money.checks ?? [])]);
        // A cover of busy shards meets their calls; the next reading requires fewer.
        const result = money.checks?.length ? await sent.catch(throwUnlessSafeToRetry) : await sent;
        if (result?.done) return 'posted';
        if (result?.failed.some((index) => index < writes.length)) return 'repeated';
      }
      const shards = await this.#reads.readAll(accountId);
      if (shards.length === 0) return 'no wallet';
      if (entries !== undefined && shards[0]?.entries !== entries) return 'repeated';
      changes = distribute(shards, credit, MAX_CHANGES);
      if (isGranted) money = { by: cash, expected, ...coverCash(this.#table, shards, readings) };
      readings += 1;
      return undefined;
    });
    // The remaining debt of a wallet with very many shards is paid by the other shards after the posting.
    if (posted === 'posted' && changes?.some(({ debtAfter }) => debtAfter !== undefined))
      await this.collect(accountId);
    return posted;
  }

  /**
   * Makes the writes, and deducts an amount from the balance of all shards. Exactly once, or not at all: neither credit
   * that is held nor debt covers it.
   */
  async deduct(
    accountId: string,
    amount: NanoUsd,
    writes: readonly TransactWriteItem[],
  ): Promise<PostingResult | 'not covered'> {
    return retryOptimistically<PostingResult | 'not covered'>(MAX_ATTEMPTS, 'the wallet', async () => {
      const shards = await this.#reads.readAll(accountId);
      if (shards.length === 0) return 'no wallet';
      const changes = distribute(shards, -amount, MAX_SHARDS);
      if (changes.some(isIndebted)) return 'not covered';
      const result = await transact(this.#client, [...writes, ...this.#updates(changes, 1n)]);
      if (result.done) return 'posted';
      return result.failed.some((index) => index < writes.length) ? 'repeated' : undefined;
    });
  }

  /**
   * Returns the writes that deduct a price from an account's current credit, for the caller's transaction, which fails
   * if the wallet has changed. Returns undefined if there is no wallet, or if the credit does not cover the price: only
   * refunds may create debt.
   */
  async planPurchase(accountId: string, price: NanoUsd): Promise<PurchaseDebit | undefined> {
    const shards = await this.#reads.readAll(accountId);
    const changes = distribute(shards, -price, MAX_CHANGES);
    const [first] = shards;
    if (first === undefined || changes.some(isIndebted)) return undefined;
    const payable = isPayable(first.payableCash, price);
    const cash: CashChange = {
      by: payable ? -price : 0n,
      conditions: [
        payable ? 'payable_cash >= :price' : '(attribute_not_exists(payable_cash) OR payable_cash < :price)',
      ],
      values: { ':price': number(price) },
    };
    return { writes: this.#updates(changes, 1n, cash), payable };
  }

  /**
   * Pays the debt from the balance that calls have returned. If calls change it concurrently, the next call retries.
   */
  async collect(accountId: string): Promise<void> {
    for (let changed = MAX_CHANGES, done = true; done && changed === MAX_CHANGES; ) {
      const shards = await this.#reads.readAll(accountId);
      const changes = distribute(shards, 0n, MAX_CHANGES);
      changed = changes.length;
      const moved = changes.filter(({ by, debt, debtAfter }) => by !== 0n || debt !== debtAfter);
      if (moved.length === 0) return;
      ({ done } = await transact(this.#client, this.#updates(moved, 0n)));
    }
  }

  /** Returns the updates of some shards, the first of which changes the money as well. */
  #updates(
    changes: readonly ShardChange[],
    entries: bigint,
    { by: cash, usedUp = 0n, expected, conditions = [], values = {} }: CashChange = { by: 0n },
  ): readonly TransactWriteItem[] {
    return changes.map(({ walletId, by, debt, debtAfter }, index) => ({
      Update: shardUpdate(this.#table, walletId, {
        ...(index === 0 ? { conditions, values } : {}),
        add: {
          balance: by,
          entries,
          received: by - (debtAfter ?? 0n) + (debt ?? 0n),
          net_cash: index === 0 ? cash : 0n,
          payable_cash: index === 0 ? cash - usedUp : 0n,
        },
        set: { owed: amountOf(debtAfter) },
        expected: { ...(index === 0 ? expected : {}), owed: amountOf(debt) },
        minBalance: greatest(-by, 0n),
      }),
    }));
  }
}

const isIndebted = ({ debt, debtAfter }: ShardChange): boolean =>
  debt !== undefined || debtAfter !== undefined;

const amountOf = (debt: NanoUsd | undefined) => (debt === undefined ? undefined : number(debt));

/**
 * Distributes a change over the shards of a wallet, the first one first and then the richest. The debt and the removed
 * credit are paid from the added credit and every balance; the shortfall becomes debt. Unchanged shards are left out,
 * and so are those beyond the `maxChanges` that one transaction can change.
 */
function distribute(
  shards: readonly ShardState[],
  change: NanoUsd,
  maxChanges: number,
): readonly ShardChange[] {
  const [first, ...rest] = shards;
  if (first === undefined) return [];
  const richest = rest.toSorted((a, b) => (a.balance < b.balance ? 1 : -1));
  let due = (first.debt ?? 0n) + (change < 0n ? -change : 0n);
  const income = change > 0n ? change : 0n;
  let changed = 0;
  const changes = [first, ...richest].map((shard) => {
    const gain = shard === first ? income : 0n;
    const paid = changed < maxChanges ? least(shard.balance + gain, due) : 0n;
    if (shard === first || paid > 0n) changed += 1;
    due -= paid;
    return { ...shard, by: gain - paid };
  });
  return changes
    .map((each, index) => ({ ...each, debtAfter: due === 0n ? undefined : index === 0 ? due : 0n }))
    .filter(({ by, debt, debtAfter }, index) => index === 0 || by !== 0n || debt !== debtAfter)
    .slice(0, maxChanges);
}
