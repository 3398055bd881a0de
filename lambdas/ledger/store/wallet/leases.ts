/**
 * The leases of wallets in DynamoDB. An entry is stored in one shard, in the map of the holds, and is written as a whole. What
 * a shard lacks comes from the others in one transaction.
 */

import type { LeaseResult } from '../../../access/core/key-leases.ts';
import type { Wallet, WalletLeaseWrite } from '../../core/ports.ts';
import type { WalletHolds } from './holds.ts';
import { accountOf, encodeLeaseHold, MAX_HOLDS, spentOn, toWallet } from './item.ts';
import type { WalletReads } from './reads.ts';
import type { EntryChange, WalletShards } from './shard.ts';
import { chooseDonors } from './transfer.ts';

const changeOf = ({ walletId, leaseId, from, to, change, day, costs }: WalletLeaseWrite): EntryChange => ({
  walletId,
  id: leaseId,
  from: from && encodeLeaseHold(from),
  to: to && encodeLeaseHold(to),
  amount: change,
  costs: Object.fromEntries(costs.map((cost, at) => [spentOn(day + at), cost])),
});

export class WalletLeases {
  readonly #shards: WalletShards;
  readonly #reads: WalletReads;
  readonly #holds: WalletHolds;

  /** `holds` makes more shards when they are full. */
  constructor(shards: WalletShards, reads: WalletReads, holds: WalletHolds) {
    this.#shards = shards;
    this.#reads = reads;
    this.#holds = holds;
  }

  /** Implements `WalletStore.writeLease`. */
  async write(write: WalletLeaseWrite): Promise<LeaseResult<Wallet>> {
    const accountId = accountOf(write.walletId);
    const { applied, item, copies } = await this.#shards.change(changeOf(write));
    const shard = item && this.#reads.decode(item);
    const isOpened = applied && write.from === undefined;
    if (isOpened && shard !== undefined && shard.holds.length > MAX_HOLDS)
      this.#holds.addCapacity(accountId, write.walletId).catch(() => {});
    const isShort = !applied && shard !== undefined && shard.balance < write.change;
    if (isShort && this.#reads.countOf(accountId) > 1) return this.#writeAcross(accountId, write);
    return { applied, item: shard && toWallet(accountId, [shard]), copies };
  }

  /** The item that a refusal returns has the balance of all shards: what the wallet has is then final. */
  async #writeAcross(accountId: string, write: WalletLeaseWrite): Promise<LeaseResult<Wallet>> {
    const shards = await this.#reads.readAll(accountId);
    const target = shards.find(({ walletId }) => walletId === write.walletId);
    if (target === undefined) return { applied: false, item: undefined, copies: 1 };
    const { balance } = toWallet(accountId, shards);
    const isPayable = balance >= write.change && shards.every(({ debt }) => debt === undefined);
    const donors = isPayable ? chooseDonors(shards, target, write.change) : undefined;
    if (donors === undefined)
      return { applied: false, item: { ...toWallet(accountId, [target]), balance }, copies: 1 };
    const applied = await this.#shards.changeWith(changeOf(write), donors);
    const after = await this.#reads.read(write.walletId);
    // The transaction is sent with a token, and the entry shows whether an unanswered copy of it was executed.
    return { applied, item: after && toWallet(accountId, [after]), copies: Number.POSITIVE_INFINITY };
  }
}
