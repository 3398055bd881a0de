/** Which parts of which wallets this process takes its holds on, as far as it remembers. */
import { BoundedMap } from '../../../core/bounded-map.ts';
import type { Hold } from '../../../core/ledger/ports.ts';
import type { NanoUsd } from '../../../core/money.ts';
import type { RandomSource } from '../../../core/ports.ts';
import { indexOf, MAX_HOLDS, type Part } from './item.ts';

/** Bounds the memory of wallets; one that falls out is found again at its next hold. */
const MAX_WALLETS = 10_000;

/** For a part that was not tried. */
const MAX_DRAWS = 8;

/** What is known of a part that this process uses. */
interface OwnPart {
  /** Open holds, as last seen, and requests in flight. */
  open: number;
  /** Of them this process's own. */
  mine: number;
  /** What it had for further holds when it was last seen; undefined before. */
  spare: NanoUsd | undefined;
  /** It has been seen. */
  made: boolean;
}

/** One wallet as this process knows it. A process keeps to parts of its own choice, so that two rarely meet. */
export interface Placement {
  /** How many parts there may be. */
  parts: number;
  readonly own: Map<number, OwnPart>;
}

export class Placements {
  readonly #wallets = new BoundedMap<string, Placement>(MAX_WALLETS);
  readonly #random: RandomSource;

  constructor(random: RandomSource) {
    this.#random = random;
  }

  of(accountId: string): Placement {
    const known = this.#wallets.get(accountId);
    if (known !== undefined) return known;
    const placement: Placement = { parts: 1, own: new Map() };
    this.#wallets.set(accountId, placement);
    return placement;
  }

  /** The part to try first: one of the process's own that may do, or any while it has none. It counts as taken. */
  pick(placement: Placement, hold: Hold): number | undefined {
    const known = this.pickKnown(placement, hold);
    if (known !== undefined || placement.own.size > 0) return known;
    return this.#take(placement, Math.floor(this.#random() * placement.parts));
  }

  /** One of the process's own parts that has a place and, as far as is known, the money. It counts as taken. */
  pickKnown(placement: Placement, hold: Hold): number | undefined {
    for (const [index, { open, spare }] of placement.own) {
      if (open < MAX_HOLDS && (spare === undefined || spare >= hold.amount))
        return this.#take(placement, index);
    }
    return undefined;
  }

  /**
   * A part for a hold, one of the process's own if it has a place, else any other. `lacks`: it is known to have a place
   * and not the money. Else it counts as taken. One that was tried is drawn again only by chance.
   */
  pickAny(
    placement: Placement,
    hold: Hold,
    tried: ReadonlySet<number>,
  ): { readonly index: number; readonly lacks: boolean } {
    const known = this.pickKnown(placement, hold);
    if (known !== undefined) return { index: known, lacks: false };
    for (const [index, { open }] of placement.own) if (open < MAX_HOLDS) return { index, lacks: true };
    let index = Math.floor(this.#random() * placement.parts);
    for (let draws = 1; draws < MAX_DRAWS && tried.has(index); draws += 1)
      index = Math.floor(this.#random() * placement.parts);
    return { index: this.#take(placement, index), lacks: false };
  }

  #take({ own }: Placement, index: number): number {
    const part = own.get(index) ?? { open: 0, mine: 0, spare: undefined, made: false };
    own.set(index, { ...part, open: part.open + 1, mine: part.mine + 1 });
    return index;
  }

  /** Notes how a part is after a request for a hold on it; undefined when there is none, or no answer. */
  learn(placement: Placement, index: number, part: Part | undefined, granted: boolean): void {
    const known = placement.own.get(index);
    if (part !== undefined && index === 0) placement.parts = part.parts;
    if (known === undefined) return;
    if (!granted) known.mine -= 1;
    if (part !== undefined) this.#see(placement, known, part);
    else if (known.mine === 0) placement.own.delete(index);
    else known.open -= 1;
  }

  /** Notes a hold that was taken on a part together with money from others. */
  taken(
    placement: Placement,
    { walletId, part }: { readonly walletId: string; readonly part: Part | undefined },
    more: NanoUsd,
  ): void {
    const index = this.#take(placement, indexOf(walletId));
    const known = placement.own.get(index);
    if (known === undefined) return;
    known.made = true;
    known.open = Math.max(known.open, (part?.holds.length ?? 0) + 1);
    known.spare = (part?.balance ?? 0n) + more;
  }

  /** Notes that a hold has ended, and how its part is then. */
  ended(placement: Placement, part: Part): void {
    const index = indexOf(part.walletId);
    if (index === 0) placement.parts = part.parts;
    const known = placement.own.get(index);
    if (known === undefined) return;
    known.mine = Math.max(known.mine - 1, 0);
    this.#see(placement, known, part);
  }

  /** A part in which others have taken every place is not this process's any more. */
  #see({ own }: Placement, known: OwnPart, part: Part): void {
    known.made = true;
    known.open = Math.max(part.holds.length, known.mine);
    known.spare = part.balance;
    if (known.mine === 0 && known.open >= MAX_HOLDS) own.delete(indexOf(part.walletId));
  }
}
