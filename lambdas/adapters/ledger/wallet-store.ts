/**
 * Wallets in DynamoDB. A wallet is one item, and every step of a hold one update of it. An account hotter than one
 * item allows has several: a hold goes to any of them, and what one lacks is moved from the others with the hold.
 */
import { BoundedMap } from '../../core/bounded-map.ts';
import { coverOf } from '../../core/ledger/exposure.ts';
import type { Hold, HoldEnd, HoldResult, Wallet, WalletStore } from '../../core/ledger/ports.ts';
import { greatest, type NanoUsd } from '../../core/money.ts';
import { optimistically } from '../../core/optimistic.ts';
import type { RandomSource } from '../../core/ports.ts';
import type { DynamoClients } from '../aws/clients.ts';
import { type Item, readInteger, readText } from '../dynamodb/attribute-values.ts';
import { systemRandom } from '../system/system.ts';
import {
  coverOfOthers,
  decodeOwed,
  decodeShardCount,
  decodeWallet,
  newAttempt,
  type ShardCount,
  settleOwed,
  shardId,
} from './wallet-item.ts';
import { WalletPostings } from './wallet-posting.ts';
import { WalletShards } from './wallet-shard.ts';
import { collect, type Donor, WalletTransfers } from './wallet-transfer.ts';

/** Each further try means that another call moved one of the items within milliseconds. */
const MAX_TRIES = 8;

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
  readonly #postings: WalletPostings;
  readonly #random: RandomSource;
  /** Accounts with more than one item. */
  readonly #known = new BoundedMap<string, ShardCount>(MAX_KNOWN);

  constructor(clients: DynamoClients, table: string, random: RandomSource) {
    this.#shards = new WalletShards(clients, table);
    this.#transfers = new WalletTransfers(clients.client, this.#shards);
    this.#postings = new WalletPostings(clients.client, this.#shards);
    this.#random = random;
  }

  async hold(accountId: string, wanted: Hold): Promise<HoldResult> {
    const walletId = this.#pick(accountId);
    let { granted, item } = await this.#shards.hold(walletId, wanted);
    if (!granted && item !== undefined && decodeOwed(item) !== undefined) {
      await this.#postings.collect(accountId);
      ({ granted, item } = await this.#shards.hold(walletId, wanted));
    }
    if (item !== undefined && walletId === accountId) this.#learn(accountId, decodeShardCount(item));
    if (granted && item !== undefined) return { granted: true, wallet: whole(accountId, [item]) };
    if (this.#count(accountId).made > 1) return this.#holdAcrossShards(accountId, wanted, walletId);
    return { granted: false, wallet: item === undefined ? undefined : whole(accountId, [item]) };
  }

  async growHold(accountId: string, held: Hold, target: NanoUsd): Promise<NanoUsd> {
    const walletId = held.walletId ?? accountId;
    let amount = await this.#shards.grow(walletId, held, target);
    // Other items are looked for even where none are known: this process may not have met them.
    for (let tries = 0; tries < MAX_TRIES && amount < target; tries += 1) {
      const others = (await this.#items(accountId))
        .map(decodeWhole)
        .filter((shard) => shard.walletId !== walletId);
      const all = others.reduce((total, { balance }) => total + balance, 0n);
      const missing = target - amount;
      const transfers = collect(others, all < missing ? all : missing) ?? [];
      if (transfers.length === 0) return amount;
      if (await this.#transfers.grow({ ...held, walletId, amount }, transfers)) {
        amount = transfers.reduce((total, transfer) => total + transfer.amount, amount);
      }
    }
    return amount;
  }

  async endHold(accountId: string, end: HoldEnd): Promise<NanoUsd | undefined> {
    const { made } = this.#count(accountId);
    if (made === 1) return this.#shards.end(end.walletId ?? accountId, end);
    const shardIds = Array.from({ length: made }, (_, index) => shardId(accountId, index));
    if (end.walletId === undefined) {
      const ends = await Promise.all(shardIds.map((id) => this.#shards.end(id, end)));
      return ends.find((balance) => balance !== undefined);
    }
    const [balance, ...items] = await Promise.all([
      this.#shards.end(end.walletId, end),
      ...shardIds.filter((id) => id !== end.walletId).map((id) => this.#shards.read(id)),
    ]);
    if (balance === undefined) return undefined;
    return items.reduce(
      (total, item) => total + (item === undefined ? 0n : decodeWallet(item).balance),
      balance,
    );
  }

  async read(accountId: string): Promise<Wallet | undefined> {
    const items = await this.#items(accountId);
    return items.length === 0 ? undefined : whole(accountId, items);
  }

  /** Takes the hold on the item that lacked money, moving some to it: half of what the richest has more, so that it need not soon again. */
  async #holdAcrossShards(accountId: string, wanted: Hold, emptyShard: string): Promise<HoldResult> {
    return optimistically<HoldResult>(MAX_TRIES, 'the wallet', async () => {
      const items = await this.#items(accountId);
      const wallet = whole(accountId, items);
      if (wallet.holds.some(({ id }) => id === wanted.id)) return { granted: true, wallet };
      if (wallet.balance < wanted.amount) return { granted: false, wallet };
      if (wallet.probation > 0n && wanted.exposure > 0n) return { granted: false, wallet };
      if (wanted.amount > 0n && items.some((item) => decodeOwed(item) !== undefined)) {
        await this.#postings.collect(accountId);
        return undefined;
      }
      const hold = { ...wanted, attempt: newAttempt() };
      const shards = items.map(decodeShard);
      const able = shards.filter((shard) => canTake(shard, shards, hold));
      const target = able.find((shard) => shard.walletId === emptyShard) ?? able[0];
      if (target === undefined) return { granted: false, wallet };
      const walletId = await this.#transferAndHold(shards, hold, target);
      if (walletId === undefined) return undefined;
      const holds = [...wallet.holds, { ...hold, walletId }];
      return { granted: true, wallet: { ...wallet, balance: wallet.balance - wanted.amount, holds } };
    });
  }

  /** Returns the item that took the hold; undefined when the items have moved meanwhile. */
  async #transferAndHold(shards: readonly Shard[], hold: Hold, target: Shard): Promise<string | undefined> {
    const others = shards.filter((shard) => shard !== target);
    const richest = others.reduce((most, { balance }) => greatest(most, balance), 0n);
    const missing = missingOf(target, hold);
    const spare = greatest((richest - target.balance) / 2n, 0n);
    const transfers = collect(others, greatest(spare, missing)) ?? collect(others, missing);
    if (transfers === undefined) return undefined;
    return (await this.#transfers.hold(target, hold, transfers)) ? target.walletId : undefined;
  }

  /** Every item the account's wallet ever had; none when there is no wallet. */
  async #items(accountId: string): Promise<readonly Item[]> {
    const items = await this.#shards.readAll(accountId);
    if (items[0] !== undefined) this.#learn(accountId, decodeShardCount(items[0]));
    return items;
  }

  #pick(accountId: string): string {
    return shardId(accountId, Math.floor(this.#random() * this.#count(accountId).active));
  }

  #count(accountId: string): ShardCount {
    return this.#known.get(accountId) ?? UNSHARDED;
  }

  #learn(accountId: string, count: ShardCount): void {
    if (count.made > 1) this.#known.set(accountId, count);
  }
}

/** An item of a wallet, with the balance that it can give: what covers its own open holds is taken off. */
interface Shard extends Donor {
  readonly exposure: NanoUsd;
}

const decodeShard = (item: Item): Shard => {
  const { balance, exposure } = decodeWallet(item);
  return { walletId: readText(item, 'wallet_id'), balance: balance - coverOfOthers(exposure), exposure };
};

/** The item with all of its balance: a call that is being settled takes whatever there is. */
const decodeWhole = (item: Item): Donor => ({
  walletId: readText(item, 'wallet_id'),
  balance: readInteger(item, 'balance'),
});

/** What an item lacks to take a hold, and to cover its exposure beside that of the item's own open holds. */
const missingOf = ({ balance, exposure }: Shard, hold: Hold): NanoUsd =>
  greatest(coverOf(hold, exposure) - coverOfOthers(exposure) - balance, 0n);

/** Whether an item could take the hold with what the others can give. */
function canTake(shard: Shard, shards: readonly Shard[], hold: Hold): boolean {
  const given = shards
    .filter((other) => other !== shard)
    .reduce((total, { balance }) => total + greatest(balance, 0n), 0n);
  return missingOf(shard, hold) <= given;
}

/** An account's items as one wallet, with what it owes taken off what it has. */
function whole(accountId: string, items: readonly Item[]): Wallet {
  const shards = items.map(decodeWallet);
  const balance = shards.reduce((total, shard) => total + shard.balance, 0n);
  const owed = shards.reduce((total, shard) => total + shard.owed, 0n);
  const entries = shards.reduce((total, shard) => total + shard.entries, 0);
  return {
    accountId,
    ...settleOwed(balance, owed),
    entries,
    holds: shards.flatMap(({ holds }) => holds),
    exposure: shards.reduce((total, shard) => total + shard.exposure, 0n),
    // Each item has its own: while one is on probation, so is the account.
    probation: shards.map((shard) => shard.probation).reduce(greatest),
    shortfalls: shards.reduce((total, shard) => total + shard.shortfalls, 0),
  };
}
