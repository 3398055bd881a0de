/**
 * The check of a seller's earnings, for the audit of the ledger. It verifies
 *
 * - received = pending + available + in transit + paid out + transferred, each at least 0;
 * - that in transit and paid out equal the sums over the payouts;
 * - that pending, received and fees equal the sums over the sales;
 * - that transferred equals the transfers in the seller's ledger;
 * - that the ledger of the buyer has a purchase for each recent sale, and refunds for everything that was returned.
 */
import type { ComparisonOptions, EarningsCheck } from '../../../ledger/core/audit/ports.ts';
import type { LedgerEntry } from '../../../ledger/core/ledger-entry.ts';
import { greatest, type NanoUsd } from '../../../platform/core/money.ts';
import { proceedsOf, remainingOf, type Sale, type SellerBalance } from '../earnings/sale.ts';
import { type Payout, partOf } from './payout.ts';

/** A seller's balance and all of its sales and payouts, as of one instant. */
interface SellerSnapshot {
  /** Changes with every change of the balance or of a sale's amounts. */
  readonly version: number;
  readonly balance: SellerBalance;
  readonly sales: readonly Sale[];
  readonly payouts: readonly Payout[];
}

type EntryAmounts = Pick<LedgerEntry, 'amount' | 'cash'>;

/** The entries of a sale in the ledger of its buyer, each kind in sum. */
interface SaleEntries {
  readonly purchase: EntryAmounts;
  readonly refunded: EntryAmounts;
}

export interface EarningsReader {
  /** Undefined if the balance changed at every reading. */
  read(sellerId: string): Promise<SellerSnapshot | undefined>;
  saleEntries(sale: Sale): Promise<SaleEntries>;
}

export const earningsCheckOf = (reader: EarningsReader): EarningsCheck => ({
  async readEarnings(accountId) {
    const snapshot = await reader.read(accountId);
    if (snapshot === undefined) return undefined;
    const { pending, available, inTransit, paidOut, fees } = snapshot.balance;
    return {
      totals: (nowSeconds) => ({
        pending,
        available,
        inTransit,
        paidOut,
        fees,
        salesOverdue: overdueSeconds(snapshot, nowSeconds),
      }),
      differences: async (options) =>
        new Map([
          ...differencesOf(snapshot, options.transfers),
          ['purchases of buyers', await saleDifference(reader, accountId, snapshot, options)],
        ]),
    };
  },
});

const sumOf = <T>(items: readonly T[], amountOf: (item: T) => NanoUsd): NanoUsd =>
  items.reduce((sum, item) => sum + amountOf(item), 0n);

/** Returns the differences of the laws that need no other ledger but the seller's. */
function differencesOf(
  { balance, sales, payouts }: SellerSnapshot,
  transfers: NanoUsd,
): ReadonlyMap<string, NanoUsd> {
  const { pending, available, inTransit, paidOut, transferred, received, fees } = balance;
  const parts = [pending, available, inTransit, paidOut, transferred];
  const isPending = ({ status }: Sale) => status === 'pending';
  const paidTo = (part: 'inTransit' | 'paidOut') =>
    sumOf(
      payouts.filter((payout) => partOf(payout) === part),
      ({ amount }) => amount,
    );
  return new Map([
    ['earnings', received - sumOf(parts, (part) => part)],
    ['earnings below 0', sumOf([...parts, received, fees], (part) => greatest(-part, 0n))],
    ['pending sales', pending - sumOf(sales.filter(isPending), proceedsOf)],
    ['sales', received - sumOf(sales, proceedsOf)],
    ['payouts', paidOut - paidTo('paidOut')],
    ['payouts in transit', inTransit - paidTo('inTransit')],
    ['fees', fees - sumOf(sales, (sale) => remainingOf(sale) - proceedsOf(sale))],
    ['transfers', transferred - transfers],
  ]);
}

/** Seconds for which the oldest pending sale is due. The schedule that processes them may stand still. */
const overdueSeconds = ({ sales }: SellerSnapshot, nowSeconds: number): number =>
  sales.reduce(
    (longest, { status, dueAt }) => (status === 'pending' ? Math.max(longest, nowSeconds - dueAt) : longest),
    0,
  );

/** Every sale is compared with the buyer's ledger by at least one nightly audit, and again whenever a part is returned. */
const RECENT_SECONDS = 2 * 86_400;

/**
 * Returns the difference between the sales and the ledgers of their buyers: of recent sales and of returned ones, or of
 * all. Returns 0 if the balance has changed since: the next audit compares again.
 */
async function saleDifference(
  reader: EarningsReader,
  accountId: string,
  { sales, version }: SellerSnapshot,
  { nowSeconds, isWhole }: ComparisonOptions,
): Promise<NanoUsd> {
  let difference = 0n;
  for (const sale of sales) {
    if (!isWhole && sale.created < nowSeconds - RECENT_SECONDS && sale.returned === 0n) continue;
    difference = greatest(difference, entryDifference(sale, await reader.saleEntries(sale)));
  }
  if (difference === 0n) return 0n;
  return (await reader.read(accountId))?.version === version ? difference : 0n;
}

function entryDifference({ gross, returned, payable }: Sale, { purchase, refunded }: SaleEntries): NanoUsd {
  const cash = (amount: NanoUsd) => (payable ? amount : 0n);
  return [
    purchase.amount - gross,
    purchase.cash + cash(gross),
    refunded.amount - returned,
    refunded.cash - cash(returned),
  ]
    .map((each) => greatest(each, -each))
    .reduce(greatest, 0n);
}
