/**
 * A sale and its effects on the seller's balance. The proceeds are pending until the sale matures. Every amount is in whole
 * cents: the fee and each returned part of it are rounded down, so that all proceeds can be paid out.
 */
import {
  divideUp,
  greatest,
  least,
  NANO_PER_CENT,
  type NanoUsd,
  wholeCents,
} from '../../../platform/core/money.ts';

export const SALE_STATUSES = ['pending', 'available', 'credited', 'reversed'] as const;

/**
 * `available`: the proceeds were paid for with money, and have matured. `credited`: they were paid for with granted
 * credit, and have become the seller's credit. `reversed`: everything was returned to the buyer.
 */
type SaleStatus = (typeof SALE_STATUSES)[number];

/** `buyer_owes`: the payment which covered it is in dispute or was refunded. `listing_removed`: the listing was, before it matured. */
export const HOLD_REASONS = ['buyer_owes', 'listing_removed'] as const;
export type HoldReason = (typeof HOLD_REASONS)[number];

export interface Sale {
  /** The purchase, `pur_<ulid>`, or the charge of a subscription, `sub_<ulid>#<number>`. */
  readonly chargeId: string;
  readonly sellerId: string;
  readonly buyerId: string;
  readonly listingId: string;
  /** The price that the buyer paid. */
  readonly gross: NanoUsd;
  /** The part of it that the platform keeps. */
  readonly fee: NanoUsd;
  /** The part of `gross` that the buyer has received back. */
  readonly returned: NanoUsd;
  /** Money that the buyer had paid for covered the whole price. */
  readonly payable: boolean;
  readonly status: SaleStatus;
  /** Seconds since the epoch, as `dueAt`. */
  readonly created: number;
  /** The time of its next check, while it is pending. */
  readonly dueAt: number;
  /** The reason for which the last check had it wait. */
  readonly held: HoldReason | undefined;
}

/** A seller's balance: received = pending + available + inTransit + paidOut + transferred. */
export interface SellerBalance {
  readonly pending: NanoUsd;
  readonly available: NanoUsd;
  /** The amount of payouts that have not arrived. */
  readonly inTransit: NanoUsd;
  readonly paidOut: NanoUsd;
  /** Everything that has become the seller's own credit. */
  readonly transferred: NanoUsd;
  /** The proceeds of all sales, less fees and returns. */
  readonly received: NanoUsd;
  readonly fees: NanoUsd;
}

export const EMPTY_BALANCE: SellerBalance = {
  pending: 0n,
  available: 0n,
  inTransit: 0n,
  paidOut: 0n,
  transferred: 0n,
  received: 0n,
  fees: 0n,
};

/** The part of a buyer's wallet that decides whether a sale may mature. */
export interface BuyerFunds {
  /** Credit that was removed after it had been spent. */
  readonly owed: NanoUsd;
  /** Money paid in, less money that has left again: by refunds, disputes and payable purchases. May be negative. */
  readonly netCash: NanoUsd;
}

/** The sale after an event, and the change of the seller's balance in the same write. */
export interface SaleChange {
  readonly sale: Sale;
  readonly change: SellerBalance;
}

/** The platform's part of a price. */
export const feeOf = (gross: NanoUsd, basisPoints: number): NanoUsd =>
  wholeCents((gross * BigInt(basisPoints)) / 10_000n);

/** The part of the price that the seller has, after returns. */
export const remainingOf = ({ gross, returned }: Sale): NanoUsd => gross - returned;

/** The proceeds: the seller's part of the price, after returns. */
export const proceedsOf = (sale: Sale): NanoUsd => remainingOf(sale) - remainingFeeOf(sale);

const remainingFeeOf = ({ gross, fee, returned }: Sale): NanoUsd =>
  fee - wholeCents((fee * returned) / gross);

export const recordSale = (sale: Sale): SellerBalance => {
  const net = proceedsOf(sale);
  return { ...EMPTY_BALANCE, pending: net, received: net, fees: sale.fee };
};

/**
 * Gives part of the price back to the buyer: out of the pending proceeds, and after maturity out of the seller's
 * available balance. The platform gives back its part of the fee. Throws for an amount that the sale does not have.
 */
export function returnOf(sale: Sale, amount: NanoUsd): SaleChange {
  if (amount <= 0n || amount > remainingOf(sale)) throw new Error('not an amount that the sale can return');
  const returned = sale.returned + amount;
  const net = proceedsOf(sale) - proceedsOf({ ...sale, returned });
  const place = sale.status === 'pending' ? { pending: -net } : { available: -net };
  return {
    sale: { ...sale, returned, status: returned === sale.gross ? 'reversed' : sale.status },
    change: { ...EMPTY_BALANCE, ...place, received: -net, fees: net - amount },
  };
}

/** Ends the wait of a pending sale. Granted credit becomes credit of the seller, in the same transaction. */
export function mature(sale: Sale): SaleChange {
  const net = proceedsOf(sale);
  const place = sale.payable ? { available: net } : { transferred: net };
  return {
    sale: { ...sale, status: sale.payable ? 'available' : 'credited', held: undefined },
    change: { ...EMPTY_BALANCE, pending: -net, ...place },
  };
}

/**
 * The amount that the buyer's payments do not cover any more. A debt alone does not show it: a refund that granted credit covers
 * leaves none. A sale that granted credit paid for has taken no money, so only a debt concerns it.
 */
export const shortfallOf = ({ owed, netCash }: BuyerFunds, { payable }: Pick<Sale, 'payable'>): NanoUsd =>
  payable ? greatest(owed, -netCash) : owed;

/** The next step of a sale that is due. */
export type DueStep =
  | { readonly step: 'mature' }
  | { readonly step: 'hold'; readonly reason: HoldReason; readonly dueAt: number }
  | { readonly step: 'return'; readonly amount: NanoUsd };

const DAY_SECONDS = 86_400;

/** The time between two checks of a held sale. */
const RECHECK_SECONDS = 7 * DAY_SECONDS;

/** Disputes are decided within this time (card networks allow some 75 to 120 days in all). */
const MAX_HELD_SECONDS = 90 * DAY_SECONDS;

/**
 * Decides what happens to a due sale. While a payment from before the sale stands refunded or disputed, and the buyer's
 * funds are short, the sale waits: a dispute that is won costs the seller nothing. After 90 days the missing amount is
 * returned, in whole cents, and the remainder matures. If the listing has been removed, the sale waits as long: a buyer may
 * have received nothing for it.
 */
export function nextStep(
  sale: Sale,
  {
    paymentReversed,
    isListed,
    ...funds
  }: BuyerFunds & { readonly paymentReversed: boolean; readonly isListed: boolean },
  nowSeconds: number,
): DueStep {
  const shortfall = paymentReversed ? shortfallOf(funds, sale) : 0n;
  if (shortfall <= 0n && isListed) return { step: 'mature' };
  if (nowSeconds - sale.created < MAX_HELD_SECONDS) {
    const reason = shortfall > 0n ? 'buyer_owes' : 'listing_removed';
    return { step: 'hold', reason, dueAt: nowSeconds + RECHECK_SECONDS };
  }
  if (shortfall <= 0n) return { step: 'mature' };
  const amount = divideUp(shortfall, NANO_PER_CENT) * NANO_PER_CENT;
  return { step: 'return', amount: least(amount, remainingOf(sale)) };
}
