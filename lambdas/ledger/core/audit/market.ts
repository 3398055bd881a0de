/**
 * The audit of a seller's balance. It verifies
 *
 * - received = pending + available + in transit + paid out + transferred, each at least 0;
 * - that in transit and paid out equal the sums over the payouts;
 * - that pending, received and fees equal the sums over the sales;
 * - that transferred equals the transfers in the seller's ledger;
 * - that the ledger of the buyer has a purchase for each recent sale, and refunds for everything that was returned.
 */
import { greatest, type NanoUsd } from '../../../platform/core/money.ts';
import { sumOf } from './cut.ts';
import type { AuditedPayout, AuditedSale, MarketReader, SaleEntries, SellerBooks } from './seller-books.ts';

/** Every sale is compared with the buyer's ledger by at least one nightly audit, and again whenever a part is returned. */
const RECENT_SECONDS = 2 * 86_400;

const remainingOf = ({ gross, returned }: AuditedSale): NanoUsd => gross - returned;

/** A return gives back the same share of the fee, rounded down. */
const feeOf = ({ gross, fee, returned }: AuditedSale): NanoUsd =>
  gross === 0n ? 0n : fee - (fee * returned) / gross;

const netOf = (sale: AuditedSale): NanoUsd => remainingOf(sale) - feeOf(sale);

/** Returns the differences of the laws that need no other ledger but the seller's. */
export function marketDifferences(
  { pending, available, inTransit, paidOut, transferred, received, fees, sales, payouts }: SellerBooks,
  transfers: NanoUsd,
): ReadonlyMap<string, NanoUsd> {
  const parts = [pending, available, inTransit, paidOut, transferred];
  const amounts = (some: readonly AuditedPayout[]) => sumOf(some.map(({ amount }) => amount));
  const isPaidOut = ({ isPaid, hasEnded }: AuditedPayout) => isPaid && !hasEnded;
  const negative = [...parts, received, fees].map((part) => greatest(-part, 0n));
  return new Map([
    ['earnings', received - sumOf(parts)],
    ['earnings below 0', sumOf(negative)],
    ['pending sales', pending - sumOf(sales.filter(({ dueAt }) => dueAt !== undefined).map(netOf))],
    ['sales', received - sumOf(sales.map(netOf))],
    ['payouts', paidOut - amounts(payouts.filter(isPaidOut))],
    [
      'payouts in transit',
      inTransit - amounts(payouts.filter((each) => !each.isReturned && !isPaidOut(each))),
    ],
    ['fees', fees - sumOf(sales.map(feeOf))],
    ['transfers', transferred - transfers],
  ]);
}

/** Seconds for which the oldest pending sale is due. The schedule that processes them may stand still. */
export const overdueSeconds = ({ sales }: SellerBooks, nowSeconds: number): number =>
  sales.reduce((longest, { dueAt = nowSeconds }) => Math.max(longest, nowSeconds - dueAt), 0);

/**
 * Returns the difference between the sales and the ledgers of their buyers: of recent sales and of returned ones, or of
 * all. Returns 0 if the balance has changed since: the next audit compares again.
 */
export async function saleDifference(
  reader: MarketReader,
  accountId: string,
  books: SellerBooks,
  { nowSeconds, whole }: { readonly nowSeconds: number; readonly whole: boolean },
): Promise<NanoUsd> {
  let difference = 0n;
  for (const sale of books.sales) {
    if (!whole && sale.created < nowSeconds - RECENT_SECONDS && sale.returned === 0n) continue;
    difference = greatest(difference, differenceOf(sale, await reader.saleEntries(sale)));
  }
  if (difference === 0n) return 0n;
  return (await reader.sellerBooks(accountId))?.version === books.version ? difference : 0n;
}

function differenceOf(sale: AuditedSale, { purchase, refunded }: SaleEntries): NanoUsd {
  const cash = (amount: NanoUsd) => (sale.payable ? amount : 0n);
  return [
    (purchase?.amount ?? 0n) - sale.gross,
    (purchase?.cash ?? 0n) + cash(sale.gross),
    refunded.amount - sale.returned,
    refunded.cash - cash(sale.returned),
  ]
    .map((each) => greatest(each, -each))
    .reduce(greatest, 0n);
}
