/**
 * Holds and leases, the entries of a wallet. Each is stored in one shard, in the same map. The other shards give what that
 * shard lacks, in one transaction with the entry.
 */
import { type DynamoDBClient, DynamoDBServiceException } from '@aws-sdk/client-dynamodb';
import type { LeaseResult } from '../../../access/core/keys/key-leases.ts';
import type { DynamoClients } from '../../../platform/aws/clients.ts';
import { retryOptimistically } from '../../../platform/core/optimistic.ts';
import type { RandomSource } from '../../../platform/core/ports.ts';
import { isSafeToRetry, throwUnlessSafeToRetry } from '../../../platform/core/transient.ts';
import type { WriteResult } from '../../../platform/dynamodb/update-item.ts';
import type { Hold, HoldResult, Wallet, WalletLeaseWrite } from '../../core/ports.ts';
import { hasCredit } from '../../core/preflight.ts';
import { growShards } from './growth.ts';
import {
  accountOf,
  MAX_HOLDS,
  MAX_SHARDS,
  MOST_HOLDS,
  newAttempt,
  type Shard,
  shardId,
  toWallet,
} from './item.ts';
import { WalletPostings } from './posting.ts';
import type { WalletReads } from './reads.ts';
import { type EntryChange, holdChange, leaseChange, WalletShards } from './shard.ts';
import { chooseDonors } from './transfer.ts';

/** Each further try means that another call moved a shard within milliseconds, or that a shard was full. */
const MAX_ATTEMPTS = 12;

/** Contended shards that a hold passes over before it waits for one. */
const MAX_PASSED_OVER = 3;

/** A connection that was reset while the function slept is the usual reason for a second try. */
const MAX_SENDS = 2;

const includesHold = ({ holds }: Wallet, { id }: Hold): boolean => holds.some((open) => open.id === id);

export class WalletEntries {
  readonly #client: DynamoDBClient;
  readonly #table: string;
  readonly #random: RandomSource;
  readonly #shards: WalletShards;
  readonly #reads: WalletReads;
  readonly #postings: WalletPostings;
  /** The last of this process's transactions on each wallet. */
  readonly #queues = new Map<string, Promise<unknown>>();

  constructor(clients: DynamoClients, table: string, reads: WalletReads, random: RandomSource) {
    this.#client = clients.client;
    this.#table = table;
    this.#random = random;
    this.#shards = new WalletShards(clients, table);
    this.#reads = reads;
    this.#postings = new WalletPostings(clients.client, table);
  }

  /** Implements `WalletStore.hold`. */
  placeHold(accountId: string, hold: Hold): Promise<HoldResult> {
    let attempts = 0;
    return retryOptimistically<HoldResult>(MAX_ATTEMPTS, 'the wallet', async () => {
      attempts += 1;
      const [walletId, maxHolds] = [this.draw(accountId), this.#maxHolds(accountId)];
      const change = (attempt: string) => holdChange(walletId, { ...hold, attempt }, maxHolds);
      const result = await this.#sendHold(change, attempts > MAX_PASSED_OVER);
      if (result?.item === undefined) {
        if (result !== undefined && walletId === accountId) return { granted: false, wallet: undefined };
        await this.#reads.read(accountId);
        return undefined;
      }
      const shard = this.#reads.decode(result.item);
      const wallet = toWallet(accountId, [shard]);
      // A request whose response was lost has left its hold, and it is ours.
      if (result.applied || includesHold(wallet, hold)) return { granted: true, wallet };
      const isInDebt = shard.debt !== undefined && hold.amount > 0n;
      if (!isInDebt && shard.holds.length >= maxHolds) return this.#addCapacity(accountId, walletId);
      if (!isInDebt && this.#reads.countOf(accountId) === 1) return { granted: false, wallet };
      return this.#inTurn(accountId, () => this.#holdAcross(accountId, walletId, hold));
    });
  }

  /** Implements `WalletStore.writeLease`. */
  async writeLease(write: WalletLeaseWrite): Promise<LeaseResult<Wallet>> {
    const accountId = accountOf(write.walletId);
    const { applied, item, copies } = await this.#shards.change(leaseChange(write));
    const shard = item && this.#reads.decode(item);
    const isOpened = applied && write.from === undefined;
    if (isOpened && shard !== undefined && shard.holds.length > this.#maxHolds(accountId))
      this.#addCapacity(accountId, write.walletId).catch(() => {});
    const isShort = !applied && shard !== undefined && !hasCredit(shard, write.change);
    if (isShort && this.#reads.countOf(accountId) > 1) return this.#leaseAcross(accountId, write);
    return { applied, item: shard && toWallet(accountId, [shard]), copies };
  }

  /** The item that a refusal returns has the balance of all shards: what the wallet has is then final. */
  async #leaseAcross(accountId: string, write: WalletLeaseWrite): Promise<LeaseResult<Wallet>> {
    const shards = await this.#reads.readAll(accountId);
    const target = shards.find(({ walletId }) => walletId === write.walletId);
    if (target === undefined) return { applied: false, item: undefined, copies: 1 };
    const { balance } = toWallet(accountId, shards);
    const isPayable = hasCredit({ balance }, write.change) && shards.every(({ debt }) => debt === undefined);
    const donors = isPayable ? chooseDonors(shards, target, write.change) : undefined;
    if (donors === undefined)
      return { applied: false, item: { ...toWallet(accountId, [target]), balance }, copies: 1 };
    const applied = await this.#shards.changeWith(leaseChange(write), donors);
    const after = await this.#reads.read(write.walletId);
    // The transaction is sent with a token, and the entry shows whether an unanswered copy of it was executed.
    return { applied, item: after && toWallet(accountId, [after]), copies: Number.POSITIVE_INFINITY };
  }

  /**
   * Sends the hold, and once more if no response arrived. Each request has a separate attempt id. A copy that reaches
   * the database after the settlement is therefore distinguished from the settled hold, and released. Returns
   * undefined, unless it `canWait`, if DynamoDB rejects writes of the shard for now: a transaction includes it, or it is
   * throttled.
   */
  async #sendHold(
    changeOf: (attempt: string) => EntryChange,
    canWait: boolean,
  ): Promise<WriteResult | undefined> {
    for (let sends = 1; ; sends += 1) {
      try {
        return await this.#shards.change(changeOf(newAttempt()), canWait ? undefined : 0);
      } catch (failure) {
        if (!canWait && isSafeToRetry(failure)) return undefined;
        if (failure instanceof DynamoDBServiceException || sends === MAX_SENDS) throw failure;
      }
    }
  }

  /**
   * Handles a full shard: reads shards that other processes have created, else creates some if another random shard is
   * also at least half full. The first shard alone is no evidence: every process starts there until it has cached
   * others.
   */
  async #addCapacity(accountId: string, fullId: string): Promise<undefined> {
    const currentCount = this.#reads.countOf(accountId);
    if (currentCount === 1) return this.#grow(accountId, currentCount);
    if (fullId === accountId) return;
    await this.#reads.read(accountId);
    if (this.#reads.countOf(accountId) !== currentCount) return;
    const other = await this.#reads.read(this.draw(accountId, 1));
    if (other !== undefined && other.holds.length >= MAX_HOLDS / 2) await this.#grow(accountId, currentCount);
  }

  /** Returns the number of holds from which a shard is full. */
  #maxHolds(accountId: string): number {
    return this.#reads.countOf(accountId) < MAX_SHARDS ? MAX_HOLDS : MOST_HOLDS;
  }

  /** Returns a random shard, from the n-th on. */
  draw(accountId: string, from = 0): string {
    return shardId(accountId, from + Math.floor(this.#random() * (this.#reads.countOf(accountId) - from)));
  }

  /** Transactions of one process on the same wallet would only cancel each other. */
  async #inTurn<T>(accountId: string, run: () => Promise<T>): Promise<T> {
    const turn = (this.#queues.get(accountId) ?? Promise.resolve()).then(run);
    const end = turn.catch(() => {});
    this.#queues.set(accountId, end);
    try {
      return await turn;
    } finally {
      if (this.#queues.get(accountId) === end) this.#queues.delete(accountId);
    }
  }

  /** With credit from the first shard, which most payments go to, if that has enough, else from all. */
  async #holdAcross(accountId: string, walletId: string, hold: Hold): Promise<HoldResult | undefined> {
    if (walletId !== accountId) {
      const [first, target] = await Promise.all([this.#reads.read(accountId), this.#reads.read(walletId)]);
      if (first !== undefined && first.debt === undefined && target !== undefined) {
        const result = await this.#attemptAcross([first, target], walletId, hold);
        if (result !== undefined) return result;
      }
    }
    const shards = await this.#reads.readAll(accountId);
    const wallet = toWallet(accountId, shards);
    const isInsufficient = !hasCredit(wallet, hold.amount) && !includesHold(wallet, hold);
    if (isInsufficient) return { granted: false, wallet: shards.length === 0 ? undefined : wallet };
    if (hold.amount > 0n && shards.some(({ debt }) => debt !== undefined)) {
      await this.#postings.collect(accountId);
      return undefined;
    }
    return this.#attemptAcross(shards, walletId, hold);
  }

  /** Undefined when the shards have moved since they were read, or do not suffice. */
  async #attemptAcross(
    shards: readonly Shard[],
    walletId: string,
    hold: Hold,
  ): Promise<HoldResult | undefined> {
    const wallet = toWallet(accountOf(walletId), shards);
    if (includesHold(wallet, hold)) return { granted: true, wallet };
    const target = shards.find((shard) => shard.walletId === walletId);
    if (target === undefined || !hasCredit(wallet, hold.amount)) return undefined;
    const placed = { ...hold, attempt: newAttempt(), walletId };
    const donors = chooseDonors(shards, target, hold.amount);
    if (donors === undefined) return undefined;
    const change = holdChange(walletId, placed, this.#maxHolds(accountOf(walletId)));
    const isPlaced = await this.#shards.changeWith(change, donors).catch(throwUnlessSafeToRetry);
    if (isPlaced !== true) return undefined;
    const { balance, holds } = wallet;
    return {
      granted: true,
      wallet: { ...wallet, balance: balance - hold.amount, holds: [...holds, placed] },
    };
  }

  async #grow(accountId: string, currentCount: number): Promise<undefined> {
    const count = await growShards(this.#client, this.#table, accountId, currentCount).catch(
      throwUnlessSafeToRetry,
    );
    if (count !== undefined) this.#reads.cacheCount(accountId, count);
  }
}
