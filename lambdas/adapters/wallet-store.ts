/**
 * Wallets in DynamoDB. A wallet is one item, and every step of a hold one update of it. An account hotter than one
 * item allows has several: a hold goes to any of them, and what one lacks is moved from the others with the hold.
 */
import type { Hold, HoldEnd, HoldResult, Wallet, WalletStore } from '../core/ledger/ports.ts';
import type { NanoUsd } from '../core/money.ts';
import type { RandomSource } from '../core/ports.ts';
import { readText } from './attribute-values.ts';
import type { DynamoClients } from './clients.ts';
import { systemRandom } from './system.ts';
import { decodeShardCount, decodeWallet, newAttempt, type ShardCount, shardId } from './wallet-item.ts';
import { WalletShards } from './wallet-shard.ts';
import { collect, WalletTransfers } from './wallet-transfer.ts';

/** Each further try means that another call moved one of the items within milliseconds. */
const MAX_GATHER_TRIES = 8;

/** Bounds the memory of sharded accounts; one that falls out is found again at its first refusal. */
const MAX_KNOWN = 10_000;

const UNSHARDED: ShardCount = { active: 1, made: 1 };

export function createWalletStore(
  clients: DynamoClients,
  table: string,
  random: RandomSource = systemRandom,
): WalletStore {
  return new DynamoWalletStore(clients, table, random);
}

class DynamoWalletStore implements WalletStore {
  readonly #shards: WalletShards;
  readonly #transfers: WalletTransfers;
  readonly #random: RandomSource;
  /** Accounts with more than one item. */
  readonly #known = new Map<string, ShardCount>();

  constructor(clients: DynamoClients, table: string, random: RandomSource) {
    this.#shards = new WalletShards(clients, table);
    this.#transfers = new WalletTransfers(clients.client, this.#shards);
    this.#random = random;
  }

  async hold(accountId: string, wanted: Hold): Promise<HoldResult> {
    const walletId = this.#pick(accountId);
    const { granted, item } = await this.#shards.hold(walletId, wanted);
    if (item !== undefined && walletId === accountId) this.#learn(accountId, decodeShardCount(item));
    if (granted && item !== undefined) return { granted: true, wallet: decodeWallet(item) };
    if (this.#count(accountId).made > 1) return this.#gather(accountId, wanted, walletId);
    return { granted: false, wallet: item === undefined ? undefined : decodeWallet(item) };
  }

  async growHold(accountId: string, held: Hold, target: NanoUsd): Promise<NanoUsd> {
    const walletId = held.walletId ?? accountId;
    let amount = await this.#shards.grow(walletId, held, target);
    if (this.#count(accountId).made === 1) return amount;
    for (let tries = 0; tries < MAX_GATHER_TRIES && amount < target; tries += 1) {
      const others = (await this.#items(accountId)).filter((shard) => shard.walletId !== walletId);
      const all = others.reduce((total, { balance }) => total + balance, 0n);
      const missing = target - amount;
      const donations = collect(others, all < missing ? all : missing) ?? [];
      if (donations.length === 0) return amount;
      if (await this.#transfers.grow({ ...held, walletId, amount }, donations)) {
        amount = donations.reduce((total, donation) => total + donation.amount, amount);
      }
    }
    return amount;
  }

  async endHold(accountId: string, end: HoldEnd): Promise<NanoUsd | undefined> {
    const walletId = end.walletId ?? accountId;
    const { made } = this.#count(accountId);
    if (made === 1) return this.#shards.end(walletId, end);
    const others = Array.from({ length: made }, (_, index) => shardId(accountId, index)).filter(
      (id) => id !== walletId,
    );
    const [balance, ...items] = await Promise.all([
      this.#shards.end(walletId, end),
      ...others.map((id) => this.#shards.read(id)),
    ]);
    if (balance === undefined) return undefined;
    return items.reduce(
      (total, item) => total + (item === undefined ? 0n : decodeWallet(item).balance),
      balance,
    );
  }

  async read(accountId: string): Promise<Wallet | undefined> {
    const shards = await this.#items(accountId);
    return shards.length === 0 ? undefined : this.#whole(accountId, shards);
  }

  /** Takes the hold on the item that lacked money, moving some to it: half of what the richest has more, so that it need not soon again. */
  async #gather(accountId: string, wanted: Hold, dry: string): Promise<HoldResult> {
    for (let tries = 0; tries < MAX_GATHER_TRIES; tries += 1) {
      const shards = await this.#items(accountId);
      const wallet = this.#whole(accountId, shards);
      if (wallet.holds.some(({ id }) => id === wanted.id)) return { granted: true, wallet };
      if (wallet.balance < wanted.amount) return { granted: false, wallet };
      const target = shards.find((shard) => shard.walletId === dry) ?? shards[0];
      if (target === undefined) continue;
      const { walletId } = target;
      const others = shards.filter((shard) => shard !== target);
      const richest = others.reduce((most, { balance }) => (balance > most ? balance : most), 0n);
      const missing = wanted.amount > target.balance ? wanted.amount - target.balance : 0n;
      const spare = richest > target.balance ? (richest - target.balance) / 2n : 0n;
      const donations = collect(others, spare > missing ? spare : missing) ?? collect(others, missing);
      if (donations === undefined) continue;
      const hold = { ...wanted, attempt: newAttempt() };
      if (await this.#transfers.hold(walletId, hold, donations)) {
        const holds = [...wallet.holds, { ...hold, walletId }];
        return { granted: true, wallet: { accountId, balance: wallet.balance - wanted.amount, holds } };
      }
    }
    throw new Error('the wallet is too busy');
  }

  #whole(accountId: string, shards: readonly Wallet[]): Wallet {
    const balance = shards.reduce((total, shard) => total + shard.balance, 0n);
    return { accountId, balance, holds: shards.flatMap(({ holds }) => holds) };
  }

  /** Every item the account's wallet ever had; none when there is no wallet. */
  async #items(accountId: string): Promise<readonly (Wallet & { readonly walletId: string })[]> {
    const first = await this.#shards.read(accountId);
    if (first === undefined) return [];
    const count = decodeShardCount(first);
    this.#learn(accountId, count);
    if (count.made === 1) return [{ ...decodeWallet(first), walletId: accountId }];
    // Money on its way from one item to another must be seen in one of them.
    const ids = Array.from({ length: count.made }, (_, index) => shardId(accountId, index));
    const items = await this.#shards.snapshot(ids);
    return items.map((item) => ({ ...decodeWallet(item), walletId: readText(item, 'wallet_id') }));
  }

  #pick(accountId: string): string {
    return shardId(accountId, Math.floor(this.#random() * this.#count(accountId).active));
  }

  #count(accountId: string): ShardCount {
    return this.#known.get(accountId) ?? UNSHARDED;
  }

  #learn(accountId: string, count: ShardCount): void {
    if (count.made === 1) return;
    if (this.#known.size >= MAX_KNOWN) {
      const [oldest] = this.#known.keys();
      if (oldest !== undefined) this.#known.delete(oldest);
    }
    this.#known.set(accountId, count);
  }
}
