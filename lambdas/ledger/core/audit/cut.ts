/**
 * The shards of a wallet at one instant. Each shard is read whole, but the shards one after another; what moved between
 * them meanwhile is counted in `entries`, so two readings with the same counts have no such move between them.
 */
import { greatest, type NanoUsd } from '../../../platform/core/money.ts';
import type { WalletShard } from './ports.ts';

/** Totals over the shards of a wallet. */
export interface Cut {
  readonly shards: readonly WalletShard[];
  readonly balance: NanoUsd;
  readonly heldAmount: NanoUsd;
  readonly debt: NanoUsd;
  readonly spentAmount: NanoUsd;
  readonly received: NanoUsd;
  readonly netCash: NanoUsd;
  readonly payableCash: NanoUsd;
  /** Open holds. */
  readonly holds: WalletShard['holds'];
  /** The time at which the oldest open hold was placed, in seconds since the epoch. Undefined if no hold is open. */
  readonly oldest: number | undefined;
  /**
   * The total drift of the shards, each checked separately. One atomic read shows it under any traffic. A value below
   * zero is drift, too.
   */
  readonly drift: NanoUsd;
}

export const sumOf = (amounts: Iterable<NanoUsd>): NanoUsd =>
  [...amounts].reduce((sum, amount) => sum + amount, 0n);

const heldIn = ({ holds }: WalletShard): NanoUsd => sumOf(holds.map(({ amount }) => amount));

/** The largest magnitude of some differences. */
export const largest = (differences: readonly NanoUsd[]): NanoUsd =>
  differences.map((each) => greatest(each, -each)).reduce(greatest, 0n);

const earliest = (times: readonly number[]) => (times.length === 0 ? undefined : Math.min(...times));

export function cutOf(shards: readonly WalletShard[]): Cut {
  const sum = (of: (shard: WalletShard) => NanoUsd): NanoUsd => sumOf(shards.map(of));
  const holds = shards.flatMap((shard) => shard.holds);
  return {
    shards,
    balance: sum(({ balance }) => balance),
    heldAmount: sum(heldIn),
    debt: sum(({ debt }) => debt),
    spentAmount: sum(({ spentAmount }) => spentAmount),
    received: sum(({ received }) => received),
    netCash: sum(({ netCash }) => netCash),
    payableCash: sum(({ payableCash }) => payableCash),
    holds,
    oldest: earliest(holds.map(({ created }) => created)),
    drift: sum((shard) => driftOf(shard)),
  };
}

/** Returns the drift of a shard, or the amount by which it is below zero. */
const driftOf = (shard: WalletShard): NanoUsd =>
  largest([differenceIn(shard), shard.balance < 0n ? shard.balance : 0n, shard.debt < 0n ? shard.debt : 0n]);

/** Returns the received credit of a shard less its content and the spend from it. The result is 0 at every instant. */
const differenceIn = (shard: WalletShard): NanoUsd =>
  shard.received - shard.balance - heldIn(shard) - shard.spentAmount + shard.debt;

/** The cost of calls by the UTC day of their record: of each day after one that is stored in a shard. */
export function spentAfter({ shards }: Cut, after: number): ReadonlyMap<number, NanoUsd> {
  const days = new Map<number, NanoUsd>();
  for (const { spentByDay } of shards)
    for (const [day, cost] of spentByDay) if (day > after) days.set(day, (days.get(day) ?? 0n) + cost);
  return days;
}

/**
 * Returns whether nothing moved between the shards, and no ledger entry reached them, from one reading to the other.
 * Another shard may pay a debt without a counted entry, but not without a change of its received credit.
 */
export const noTransferBetween = (a: readonly WalletShard[], b: readonly WalletShard[]): boolean =>
  sameShards(a, b, ({ entries, received }) => `${entries} ${received}`);

/** Returns whether, in addition, no call started or ended. A call that did both at no cost does not change any sum. */
export const nothingBetween = (a: readonly WalletShard[], b: readonly WalletShard[]): boolean =>
  sameShards(a, b, ({ entries, received, balance, debt, spentAmount, holds }) =>
    [
      entries,
      received,
      balance,
      debt,
      spentAmount,
      ...holds.map(({ id, amount }) => `${id}:${amount}`).sort(),
    ].join(),
  );

function sameShards(
  a: readonly WalletShard[],
  b: readonly WalletShard[],
  stateOf: (shard: WalletShard) => string,
): boolean {
  const states = new Map(a.map((shard) => [shard.id, stateOf(shard)]));
  return a.length === b.length && b.every((shard) => states.get(shard.id) === stateOf(shard));
}
