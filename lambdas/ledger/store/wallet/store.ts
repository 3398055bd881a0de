/** Wallets in DynamoDB: each step of a hold is one update of one of the wallet's shards. */

import type { LeaseResult } from '../../../access/core/keys/key-leases.ts';
import type { DynamoClients } from '../../../platform/aws/clients.ts';
import type { NanoUsd } from '../../../platform/core/money.ts';
import type { Clock, RandomSource } from '../../../platform/core/ports.ts';
import { systemClock, systemRandom } from '../../../platform/system/system.ts';
import {
  type Hold,
  type HoldEnd,
  type HoldResult,
  isCallHold,
  type Wallet,
  type WalletLeaseWrite,
  type WalletStore,
} from '../../core/ports.ts';
import { WalletEntries } from './entries.ts';
import { accountOf, toWallet } from './item.ts';
import { WalletReads } from './reads.ts';
import { holdEndChange, WalletShards } from './shard.ts';
import { WalletTotals } from './totals.ts';

export interface WalletStoreOptions {
  readonly random?: RandomSource;
  readonly clock?: Clock;
  /** Receives each account whose shards were read and do not add up. Its calls are served all the same. */
  readonly onDrift?: DriftListener;
}

type DriftListener = (accountId: string, drift: NanoUsd) => void;

export function createWalletStore(
  clients: DynamoClients,
  table: string,
  { random = systemRandom, clock = systemClock, onDrift = () => {} }: WalletStoreOptions = {},
): WalletStore {
  return new DynamoWalletStore(clients, table, { random, clock, onDrift });
}

class DynamoWalletStore implements WalletStore {
  readonly #shards: WalletShards;
  readonly #reads: WalletReads;
  readonly #totals: WalletTotals;
  readonly #entries: WalletEntries;
  readonly #onDrift: DriftListener;

  constructor(
    clients: DynamoClients,
    table: string,
    { random, clock, onDrift }: Required<WalletStoreOptions>,
  ) {
    this.#onDrift = onDrift;
    this.#shards = new WalletShards(clients, table);
    this.#reads = new WalletReads(clients.client, table);
    this.#entries = new WalletEntries(clients, table, this.#reads, random);
    this.#totals = new WalletTotals(clients.client, table, this.#reads, clock);
  }

  async hold(accountId: string, hold: Hold): Promise<HoldResult> {
    const result = await this.#entries.placeHold(accountId, hold);
    this.#verify(result.wallet);
    return result;
  }

  async endHold(accountId: string, end: HoldEnd): Promise<NanoUsd | undefined> {
    const { walletId } = end;
    if (walletId === undefined) {
      const hold = await this.findHold(accountId, end);
      return hold && this.endHold(accountId, { ...end, ...hold });
    }
    // The total balance of a wallet that is cached as sharded is requested concurrently.
    const isSharded = this.#reads.countOf(accountId) > 1 || walletId !== accountId;
    const [{ applied, item }, total] = await Promise.all([
      this.#shards.change(holdEndChange(walletId, end)),
      isSharded ? this.#totals.read(accountId).catch(() => undefined) : undefined,
    ]);
    if (!applied || item === undefined) return undefined;
    const shard = this.#reads.decode(item);
    const { balance } = this.#verify(toWallet(accountId, [shard]));
    if (total !== undefined) return total;
    // The other shards may have been created while the call ran.
    return isSharded || shard.shards > 1 ? this.#totals.read(accountId).catch(() => balance) : balance;
  }

  async findHold(
    accountId: string,
    { id, walletId }: { readonly id: string; readonly walletId?: string | undefined },
  ) {
    const shards =
      walletId === undefined
        ? await this.#reads.readAll(accountId)
        : [await this.#reads.read(walletId)].filter((shard) => shard !== undefined);
    return shards.flatMap(({ holds }) => holds.filter(isCallHold)).find((hold) => hold.id === id);
  }

  balance(accountId: string): Promise<NanoUsd> {
    return this.#totals.read(accountId);
  }

  async read(accountId: string): Promise<Wallet | undefined> {
    const shards = await this.#reads.readAll(accountId);
    return shards.length === 0 ? undefined : this.#verify(toWallet(accountId, shards));
  }

  drawShard(accountId: string): string {
    return this.#entries.draw(accountId);
  }

  hasShards(accountId: string): boolean {
    return this.#reads.countOf(accountId) > 1;
  }

  async readShard(walletId: string): Promise<Wallet | undefined> {
    const shard = await this.#reads.read(walletId);
    return shard && this.#verify(toWallet(accountOf(walletId), [shard]));
  }

  async writeLease(write: WalletLeaseWrite): Promise<LeaseResult<Wallet>> {
    const result = await this.#entries.writeLease(write);
    this.#verify(result.item);
    return result;
  }

  #verify<T extends Wallet | undefined>(wallet: T): T {
    if (wallet !== undefined && wallet.drift !== 0n) this.#onDrift(wallet.accountId, wallet.drift);
    return wallet;
  }
}
