/**
 * What a call may be admitted for. Most calls have one offer. A call whose caller leaves the bound of the output to the
 * service has several: it is admitted at the first that the wallet, the key's caps and its tokens a minute leave, so
 * that a small wallet is not shut out by a bound that nobody asked for.
 */
import { type KeyCharge, type KeyState, refusal } from '../../access/key-state.ts';
import type { NanoUsd } from '../../money.ts';
import type { Wallet } from '../ports.ts';

export interface Offer {
  /** The estimate, in tokens, that counts against the key's tokens a minute. */
  readonly tokens: number;
  /** To be held: the most that the call can cost. */
  readonly amount: NanoUsd;
}

/** Dearest first: none asks for more of anything than the one before it. */
export type Offers = readonly [Offer, ...Offer[]];

export const offerAt = (offers: Offers, index: number): Offer => offers[index] ?? offers[0];

/** The one that a call is refused for, if it is refused. */
export const leastOf = (offers: Offers): Offer => offerAt(offers, offers.length - 1);

/** What is known of a key and of a wallet; each leaves everything where nothing is known of it. */
export interface Known {
  /** With current windows. */
  readonly state?: KeyState | undefined;
  readonly wallet?: Wallet | undefined;
}

/** The index of the first offer from `from` on that key and wallet leave; undefined when they leave none. */
export function firstLeft(
  offers: Offers,
  from: number,
  { state, wallet }: Known,
  { charge, nowMs }: { readonly charge: KeyCharge; readonly nowMs: number },
): number | undefined {
  const index = offers.findIndex(({ tokens, amount }, at) => {
    if (at < from) return false;
    if (state !== undefined && refusal(state, { ...charge, tokens, amount }, nowMs) !== undefined)
      return false;
    return wallet === undefined || wallet.balance >= amount;
  });
  return index < 0 ? undefined : index;
}
