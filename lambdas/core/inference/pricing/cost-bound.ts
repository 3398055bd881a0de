/** What a call may cost, before it is made. */
import { greatest, type NanoUsd } from '../../money.ts';

export interface CostBound {
  /** To be held: what the call costs at most, by what is known of its content. */
  readonly amount: NanoUsd;
  /** What it cannot exceed, whatever its content; at least `amount`. */
  readonly ceiling: NanoUsd;
}

/** The bound of a call whose cost is known to the nano-dollar, or never charged beyond it. */
export const exactly = (amount: NanoUsd): CostBound => ({ amount, ceiling: amount });

/** The bound that covers both. */
export const coverBoth = (a: CostBound, b: CostBound): CostBound => ({
  amount: greatest(a.amount, b.amount),
  ceiling: greatest(a.ceiling, b.ceiling),
});
