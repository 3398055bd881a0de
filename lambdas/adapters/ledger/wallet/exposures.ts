/** For how much exposure of other open holds a process finds cover when it takes a hold, by part. */
import { BoundedMap } from '../../../core/bounded-map.ts';
import { ALLOWANCE } from '../../../core/ledger/exposure.ts';
import type { Hold } from '../../../core/ledger/ports.ts';
import { greatest, type NanoUsd } from '../../../core/money.ts';
import { indexOf, MAX_HOLDS, type Part } from './item.ts';

/** Bounds the memory of parts with exposure; one that falls out is found again at its next hold. */
const MAX_EXPOSED = 10_000;

export class Exposures {
  readonly #known = new BoundedMap<string, NanoUsd>(MAX_EXPOSED);

  /**
   * The exposure of other open holds that a hold finds cover for. A part that nothing is known of may have some: in the
   * first one the allowance covers them.
   */
  toCover(walletId: string, { exposure }: Pick<Hold, 'exposure'>): NanoUsd {
    const unknown = indexOf(walletId) === 0 ? ALLOWANCE : exposure * BigInt(MAX_HOLDS - 1);
    return this.#known.get(walletId) ?? unknown;
  }

  /** Notes how a part is: cover is found for more than there is, as other processes take holds too. */
  remember({ walletId, balance, exposure }: Part): void {
    if (indexOf(walletId) === 0 && exposure <= ALLOWANCE / 2n) this.#known.delete(walletId);
    else {
      const room = greatest((balance - exposure) / 2n, indexOf(walletId) === 0 ? ALLOWANCE : 0n);
      this.#known.set(walletId, exposure + room);
    }
  }
}
