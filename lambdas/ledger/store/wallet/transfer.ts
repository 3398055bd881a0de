/** The shards that give credit to another one of their wallet, in one transaction with the hold or lease that needs it. */
import { greatest, least, type NanoUsd } from '../../../platform/core/money.ts';
import type { Shard } from './item.ts';

/** A shard with what it is to give. */
export interface TransferSource {
  readonly shard: Shard;
  readonly amount: NanoUsd;
}

/** Collects an amount from the richest shards first. Returns undefined if the shards have less. */
export function collect(
  shards: readonly Shard[],
  targetAmount: NanoUsd,
): readonly TransferSource[] | undefined {
  const donors: TransferSource[] = [];
  let missing = targetAmount;
  for (const shard of shards.toSorted((a, b) => (a.balance < b.balance ? 1 : -1))) {
    const amount = least(shard.balance, missing);
    if (amount <= 0n) break;
    donors.push({ shard, amount });
    missing -= amount;
  }
  return missing > 0n ? undefined : donors;
}

/**
 * Returns the transfer sources that cover an amount in a shard. They give the missing amount or, if larger, the shard's
 * share of the excess of the richest one. The shard therefore need not request credit again soon.
 */
export function chooseDonors(
  shards: readonly Shard[],
  { walletId, balance }: Shard,
  amount: NanoUsd,
): readonly TransferSource[] | undefined {
  const otherShards = shards.filter((shard) => shard.walletId !== walletId);
  const richest = otherShards.reduce((max, shard) => greatest(max, shard.balance), 0n);
  const share = (richest - balance) / BigInt(Math.max(2, shards[0]?.shards ?? 1));
  return collect(otherShards, greatest(share, amount - balance));
}
