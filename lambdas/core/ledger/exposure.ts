/**
 * How much an account can draw unpaid. A hold is a bound by what is known of a call's content; its ceiling is what the
 * call cannot exceed whatever its content. The difference is the hold's exposure, and the exposure of all open holds
 * must be covered by credit that is not held, but for a small allowance. When a call has cost more than its hold, the
 * account is on probation: its calls are held at their ceiling until it has paid for several such calls.
 *
 * So what an account ever draws unpaid is at most the allowance and an eighth of what it has paid, at any concurrency
 * and in however many parts its wallet lies: only the first part has the allowance.
 */
import type { NanoUsd } from '../money.ts';

/** One cent: enough for some small calls at once of an account whose credit is nearly spent. */
export const ALLOWANCE: NanoUsd = 10_000_000n;

/** Probation ends when this many times the cost of the call that fell short has been paid. */
const PAID_TIMES = 8n;

/**
 * The balance that a hold needs: its amount, and cover for its exposure beside that of other open holds. Holds without
 * exposure leave the others covered.
 */
export function coverOf(
  hold: { readonly amount: NanoUsd; readonly exposure: NanoUsd },
  others: NanoUsd,
  allowance: NanoUsd = ALLOWANCE,
): NanoUsd {
  const uncovered = hold.exposure + others - allowance;
  return hold.amount + (uncovered > 0n ? uncovered : 0n);
}

/** By how much a settled call changes its account's probation. */
export function probationChange(
  cost: NanoUsd,
  { amount, onProbation = false }: { readonly amount: NanoUsd; readonly onProbation?: boolean },
): NanoUsd {
  if (cost > amount) return cost * PAID_TIMES;
  return onProbation ? -cost : 0n;
}
