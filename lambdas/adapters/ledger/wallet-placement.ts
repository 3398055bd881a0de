/** Which parts of which wallets this process takes its holds on, as far as it remembers. */
import { BoundedMap } from '../../core/bounded-map.ts';
import type { NanoUsd } from '../../core/money.ts';
import type { RandomSource } from '../../core/ports.ts';
import { indexOf, MAX_HOLDS, type Part, spareOf } from './wallet-item.ts';

/** Bounds the memory of wallets; one that falls out is found again at its next hold. */
const MAX_WALLETS = 10_000;

/** What is known of a part that this process uses. */
interface OwnPart {
  /** Open holds, as last seen, and requests in flight. */
  open: number;
  /** Of them this process's own. */
  mine: number;
  spare: NanoUsd;
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

  /**
   * The part for a hold that needs `cover`: one of the process's own that has a place and the money, else one that has
   * a place, else any other that was not tried. Undefined when there is none.
   */
  pick({ own, parts }: Placement, cover: NanoUsd, tried: ReadonlySet<number>): number | undefined {
    let withPlace: number | undefined;
    for (const [index, { open, spare }] of own) {
      if (open >= MAX_HOLDS || tried.has(index)) continue;
      if (spare >= cover) return this.#take(own, index);
      withPlace ??= index;
    }
    if (withPlace !== undefined) return this.#take(own, withPlace);
    if (own.size === 0 && !tried.has(0) && parts === 1) return this.#take(own, 0);
    const strange = Array.from({ length: parts }, (_, index) => index).filter(
      (index) => !own.has(index) && !tried.has(index),
    );
    const index = strange[Math.floor(this.#random() * strange.length)];
    return index === undefined ? undefined : this.#take(own, index);
  }

  /** Counts a request that is on its way to the part. */
  #take(own: Placement['own'], index: number): number {
    const part = own.get(index) ?? { open: 0, mine: 0, spare: 0n };
    own.set(index, { ...part, open: part.open + 1, mine: part.mine + 1 });
    return index;
  }

  /** Notes how a part is after a request for a hold on it; undefined when there is no such part. */
  learn(placement: Placement, index: number, part: Part | undefined, granted: boolean): void {
    const known = placement.own.get(index);
    if (part !== undefined && index === 0) placement.parts = part.parts;
    if (known === undefined) return;
    if (!granted) known.mine -= 1;
    known.open = Math.max(part?.holds.length ?? 0, known.mine);
    known.spare = part === undefined ? 0n : spareOf(part);
    if (part === undefined && known.mine === 0) placement.own.delete(index);
    this.#forget(placement, index);
  }

  /** Notes a hold that was taken on a part together with money from others. */
  taken({ own }: Placement, index: number): void {
    this.#take(own, index);
  }

  /** Notes that a hold has ended, and how its part is then. */
  ended(placement: Placement, part: Part): void {
    const index = indexOf(part.walletId);
    if (index === 0) placement.parts = part.parts;
    const known = placement.own.get(index);
    if (known === undefined) return;
    known.mine = Math.max(known.mine - 1, 0);
    known.open = Math.max(part.holds.length, known.mine);
    known.spare = spareOf(part);
    this.#forget(placement, index);
  }

  /** A part in which others have taken every place is not this process's any more. */
  #forget({ own }: Placement, index: number): void {
    const known = own.get(index);
    if (known !== undefined && known.mine === 0 && known.open >= MAX_HOLDS) own.delete(index);
  }
}
