/** The ways in which a listing is sold: for nothing, once, by subscription, or in the last two. */
import type { ListingBody } from './types.ts';

type Offer = Pick<ListingBody, 'price' | 'plans'>;

/** Returns whether everybody has the listing for nothing. */
export const isFree = ({ price, plans }: Offer): boolean =>
  Number(price?.amount ?? 0) === 0 && plans.length === 0;

/** Returns whether the listing cannot be bought, but subscribed to. */
export const isBySubscriptionOnly = ({ price, plans }: Offer): boolean => price === null && plans.length > 0;
