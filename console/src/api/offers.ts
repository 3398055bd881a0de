/** The ways in which a listing is sold: for nothing, once, by subscription, or in the last two; and what an account has of it. */
import type { AcquisitionBody, Balance, ListingBody } from './types.ts';

type Offer = Pick<ListingBody, 'price' | 'plans'>;

/** Returns whether everybody has the listing for nothing. */
export const isFree = ({ price, plans }: Offer): boolean =>
  Number(price?.amount ?? 0) === 0 && plans.length === 0;

/** Returns whether the listing cannot be bought, but subscribed to. */
export const isBySubscriptionOnly = ({ price, plans }: Offer): boolean => price === null && plans.length > 0;

/** A listing's price is in the smallest unit of its currency (ISO 4217 gives most two decimals). */
export function priceText(
  price: Pick<NonNullable<ListingBody['price']>, 'amount' | 'currency'> | null,
): string {
  if (price === null) return 'free';
  const amount = Number(price.amount);
  const format = new Intl.NumberFormat('en-US', { style: 'currency', currency: price.currency });
  return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}

/** `$4.99 or from $3.00 a month`: the price, and the plan with the smallest charge. */
export function offerText(listing: Offer): string {
  const [plan] = listing.plans.toSorted((a, b) => a.amount - b.amount);
  if (plan === undefined) return priceText(listing.price);
  const subscribed = `from ${priceText(plan)} a ${plan.interval}`;
  return isBySubscriptionOnly(listing) ? subscribed : `${priceText(listing.price)} or ${subscribed}`;
}

/** The state of a listing in an account of somebody else, and its next step there. */
export interface Holding {
  readonly isBought: boolean;
  readonly isUsable: boolean;
  /** Undefined if it is not installed. */
  readonly state: string | undefined;
  /** Undefined if nothing is left, or only a plan to subscribe to. */
  readonly step: 'buy' | 'install' | undefined;
}

/** An install outlasts a purchase, which a complete refund ends: such a listing can be bought again. */
export function holdingOf(
  offer: Offer,
  own: Pick<AcquisitionBody, 'installed' | 'purchased'> | undefined,
  isSubscribed: boolean,
): Holding {
  const { installed = null, purchased = null } = own ?? {};
  const isBought = purchased !== null && !isBySubscriptionOnly(offer);
  const isUsable = isBought || isSubscribed || isFree(offer);
  const state = installed === null ? undefined : installedText(offer, isBought, isUsable);
  if (offer.price !== null && !isBought && !(installed !== null && isFree(offer)))
    return { isBought, isUsable, state, step: 'buy' };
  return { isBought, isUsable, state, step: installed === null && isUsable ? 'install' : undefined };
}

function installedText(offer: Offer, isBought: boolean, isUsable: boolean): string {
  if (isBought) return 'Bought and installed';
  if (isUsable) return 'Installed';
  return isBySubscriptionOnly(offer) ? 'Installed, not subscribed to' : 'Installed, not bought';
}

/** The part of a charge that a balance does not cover; a debt is paid first. */
export function missingOf(charge: bigint, { balance, owed }: Pick<Balance, 'balance' | 'owed'>): bigint {
  const missing = charge + owed - balance;
  return missing > 0n ? missing : 0n;
}
