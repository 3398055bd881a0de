/**
 * The parts of a wallet at one instant. Each part is read whole, but the parts one after another; what moved between
 * them meanwhile is counted in `entries`, so two readings with the same counts have no such move between them.
 */
import { greatest, type NanoUsd } from '../../money.ts';
import type { WalletPart } from './ports.ts';

/** Sums over the parts of a wallet. */
export interface Cut {
  readonly parts: readonly WalletPart[];
  readonly balance: NanoUsd;
  readonly held: NanoUsd;
  readonly owed: NanoUsd;
  readonly spent: NanoUsd;
  readonly received: NanoUsd;
  /** Open holds. */
  readonly holds: WalletPart['holds'];
  /** When the oldest open hold was taken, seconds; undefined without one. */
  readonly oldest: number | undefined;
  /** How far the parts are off, each by itself; one atomic read shows it at any traffic. Below zero is off too. */
  readonly drift: NanoUsd;
}

export const sumOf = (amounts: Iterable<NanoUsd>): NanoUsd =>
  [...amounts].reduce((sum, amount) => sum + amount, 0n);

const heldIn = ({ holds }: WalletPart): NanoUsd => sumOf(holds.map(({ amount }) => amount));

/** The largest magnitude of some differences. */
export const largest = (differences: readonly NanoUsd[]): NanoUsd =>
  differences.map((each) => greatest(each, -each)).reduce(greatest, 0n);

const earliest = (times: readonly number[]) => (times.length === 0 ? undefined : Math.min(...times));

export function cutOf(parts: readonly WalletPart[]): Cut {
  const sum = (of: (part: WalletPart) => NanoUsd): NanoUsd => sumOf(parts.map(of));
  const holds = parts.flatMap((part) => part.holds);
  return {
    parts,
    balance: sum(({ balance }) => balance),
    held: sum(heldIn),
    owed: sum(({ owed }) => owed),
    spent: sum(({ spent }) => spent),
    received: sum(({ received }) => received),
    holds,
    oldest: earliest(holds.map(({ created }) => created)),
    drift: sum((part) => driftOf(part)),
  };
}

/** How far a part is off, or below zero. */
const driftOf = (part: WalletPart): NanoUsd =>
  largest([differenceIn(part), part.balance < 0n ? part.balance : 0n, part.owed < 0n ? part.owed : 0n]);

/** What a part has received, less what is in it and what was spent from it: 0 at every instant. */
const differenceIn = (part: WalletPart): NanoUsd =>
  part.received - part.balance - heldIn(part) - part.spent + part.owed;

/** The cost of calls by the UTC day of their record: of each day after one that is stored in a part. */
export function spentAfter({ parts }: Cut, after: number): ReadonlyMap<number, NanoUsd> {
  const days = new Map<number, NanoUsd>();
  for (const { spentByDay } of parts)
    for (const [day, cost] of spentByDay) if (day > after) days.set(day, (days.get(day) ?? 0n) + cost);
  return days;
}

/**
 * Whether nothing moved between the parts, and no entry of the books reached them, from one reading to the other. What
 * is owed may be paid by another part without being counted, but not without changing what it has received.
 */
export const noTransferBetween = (a: readonly WalletPart[], b: readonly WalletPart[]): boolean =>
  sameParts(a, b, ({ entries, received }) => `${entries} ${received}`);

/** Whether no call began or ended either. A call that did both at no cost makes no difference to any sum. */
export const nothingBetween = (a: readonly WalletPart[], b: readonly WalletPart[]): boolean =>
  sameParts(a, b, ({ entries, received, balance, owed, spent, holds }) =>
    [
      entries,
      received,
      balance,
      owed,
      spent,
      ...holds.map(({ id, amount }) => `${id}:${amount}`).sort(),
    ].join(),
  );

function sameParts(
  a: readonly WalletPart[],
  b: readonly WalletPart[],
  stateOf: (part: WalletPart) => string,
): boolean {
  const states = new Map(a.map((part) => [part.id, stateOf(part)]));
  return a.length === b.length && b.every((part) => states.get(part.id) === stateOf(part));
}
