/** Taking holds on a wallet: on a shard that is drawn, and with credit of the others where that one has too little. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { DynamoClients } from '../../../platform/aws/clients.ts';
import { BoundedMap } from '../../../platform/core/bounded-map.ts';
import { optimistically } from '../../../platform/core/optimistic.ts';
import type { RandomSource } from '../../../platform/core/ports.ts';
import { isRefusal } from '../../../platform/core/transient.ts';
import type { Hold, HoldResult } from '../../core/ports.ts';
import { growShards } from './growth.ts';
import { indexOf, MAX_HOLDS, newAttempt, type Shard, shardId, toWallet } from './item.ts';
import { WalletPostings } from './posting.ts';
import { WalletReads } from './reads.ts';
import { WalletShards } from './shard.ts';
import { chooseDonors, collectMost, WalletTransfers } from './transfer.ts';

/** Each further try means that another call moved a shard within milliseconds, or that a shard was full. */
const MAX_TRIES = 12;

/** Contended shards that a hold passes over before it waits for one. */
const MAX_PASSED_OVER = 3;

/** Bounds the memory: about 100 bytes an entry. */
const MAX_WALLETS = 1_000;

export class WalletHolds {
  readonly #client: DynamoDBClient;
  readonly #table: string;
  readonly #random: RandomSource;
  readonly #shards: WalletShards;
  readonly #reads: WalletReads;
  readonly #transfers: WalletTransfers;
  readonly #postings: WalletPostings;
  /** The number of shards of each wallet, as last read from its first shard. */
  readonly #counts = new BoundedMap<string, number>(MAX_WALLETS);
  /** The last of this process's transactions on each wallet. */
  readonly #turns = new Map<string, Promise<unknown>>();

  constructor(clients: DynamoClients, table: string, random: RandomSource) {
    this.#client = clients.client;
    this.#table = table;
    this.#random = random;
    this.#shards = new WalletShards(clients, table);
    this.#reads = new WalletReads(clients.client, table);
    this.#transfers = new WalletTransfers(clients.client, table);
    this.#postings = new WalletPostings(clients.client, table);
  }

  countOf(accountId: string): number {
    return this.#counts.get(accountId) ?? 1;
  }

  /** Notes how many shards a wallet has, if the shard is its first. */
  learn(shard: Shard | undefined): void {
    if (shard !== undefined && indexOf(shard.walletId) === 0) this.#counts.set(shard.walletId, shard.shards);
  }

  /** As `WalletStore.hold`. */
  take(accountId: string, hold: Hold): Promise<HoldResult> {
    let tries = 0;
    return optimistically<HoldResult>(MAX_TRIES, 'the wallet', async () => {
      tries += 1;
      const walletId = this.#draw(accountId);
      const { outcome, shard } = await this.#shards.hold(walletId, hold, tries > MAX_PASSED_OVER);
      this.learn(shard);
      switch (outcome) {
        case 'granted':
          return { granted: true, wallet: toWallet(accountId, [shard]) };
        case 'full':
          await this.#makeRoom(accountId, walletId);
          return undefined;
        case 'absent':
          if (walletId === accountId) return { granted: false, wallet: undefined };
          await this.#learnCount(accountId);
          return undefined;
        case 'contended':
          await this.#learnCount(accountId);
          return undefined;
        default:
          if (outcome === 'insufficient' && this.countOf(accountId) === 1)
            return { granted: false, wallet: toWallet(accountId, [shard]) };
          return this.#inTurn(accountId, () => this.#holdAcross(accountId, walletId, hold));
      }
    });
  }

  /**
   * After a full shard: learns of shards that others have made, else makes some, if another one is at least half full by
   * chance too. The first shard alone says nothing: every process begins there, as long as it does not know others.
   */
  async #makeRoom(accountId: string, fullId: string): Promise<void> {
    const known = this.countOf(accountId);
    if (known === 1) return this.#grow(accountId, known);
    if (fullId === accountId) return;
    await this.#learnCount(accountId);
    if (this.countOf(accountId) !== known) return;
    const other = await this.#reads.read(this.#draw(accountId, 1));
    if (other !== undefined && other.holds.length >= MAX_HOLDS / 2) await this.#grow(accountId, known);
  }

  /** A shard by chance, from the n-th on. */
  #draw(accountId: string, from = 0): string {
    return shardId(accountId, from + Math.floor(this.#random() * (this.countOf(accountId) - from)));
  }

  /** Transactions of one process on the same wallet would only cancel each other. */
  async #inTurn<T>(accountId: string, run: () => Promise<T>): Promise<T> {
    const turn = (this.#turns.get(accountId) ?? Promise.resolve()).then(run);
    const end = turn.catch(() => {});
    this.#turns.set(accountId, end);
    try {
      return await turn;
    } finally {
      if (this.#turns.get(accountId) === end) this.#turns.delete(accountId);
    }
  }

  /** With credit from the first shard, which most payments go to, if that has enough, else from all. */
  async #holdAcross(accountId: string, walletId: string, hold: Hold): Promise<HoldResult | undefined> {
    if (walletId !== accountId) {
      const [first, own] = await Promise.all([this.#reads.read(accountId), this.#reads.read(walletId)]);
      if (first?.owed === undefined && first !== undefined && own !== undefined) {
        const result = await this.#tryAcross(accountId, [first, own], walletId, hold);
        if (result?.granted === true) return result;
      }
    }
    const shards = await this.#reads.readAll(accountId);
    this.learn(shards[0]);
    const wallet = toWallet(accountId, shards);
    const isRefused = wallet.balance < hold.amount && !wallet.holds.some(({ id }) => id === hold.id);
    if (isRefused) return { granted: false, wallet: shards.length === 0 ? undefined : wallet };
    if (hold.amount > 0n && shards.some(({ owed }) => owed !== undefined)) {
      await this.#postings.collect(accountId);
      return undefined;
    }
    return this.#tryAcross(accountId, shards, walletId, hold);
  }

  /** Undefined when the shards have moved since they were read, or do not suffice. */
  async #tryAcross(
    accountId: string,
    shards: readonly Shard[],
    walletId: string,
    wanted: Hold,
  ): Promise<HoldResult | undefined> {
    const wallet = toWallet(accountId, shards);
    if (wallet.holds.some(({ id }) => id === wanted.id)) return { granted: true, wallet };
    const target = shards.find((shard) => shard.walletId === walletId);
    if (target === undefined || wallet.balance < wanted.amount) return undefined;
    const hold = { ...wanted, attempt: newAttempt() };
    const donors = chooseDonors(shards, target, hold);
    if (donors === undefined) return this.#gather(shards);
    const isTaken = await this.#transfers.hold(walletId, hold, donors).catch(unlessRefused);
    if (isTaken !== true) return undefined;
    const holds = [...wallet.holds, { ...hold, walletId }];
    return { granted: true, wallet: { ...wallet, balance: wallet.balance - wanted.amount, holds } };
  }

  /** Moves what lies in more shards than one transaction may take from into the richest one. */
  async #gather(shards: readonly Shard[]): Promise<undefined> {
    const [richest, ...others] = shards.toSorted((a, b) => (a.balance < b.balance ? 1 : -1));
    const donors = collectMost(others);
    if (richest !== undefined && donors.length > 0) await this.#transfers.move(richest.walletId, donors);
  }

  async #learnCount(accountId: string): Promise<void> {
    this.learn(await this.#reads.read(accountId));
  }

  async #grow(accountId: string, known: number): Promise<void> {
    const count = await growShards(this.#client, this.#table, accountId, known).catch(unlessRefused);
    if (count !== undefined) this.#counts.set(accountId, count);
  }
}

/**
 * Returns undefined for a temporary failure that the database reports, so that the caller uses another method. Throws
 * any other failure.
 */
function unlessRefused(failure: unknown): undefined {
  if (!isRefusal(failure)) throw failure;
}
