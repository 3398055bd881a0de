/**
 * The laws of the market, over everything that is stored and what the payment provider has done:
 *
 * 1. received = pending + available + in transit + paid out + transferred, each at least 0 and in whole cents, for each seller.
 * 2. Each part of a balance is the sum over its sales, payouts or transfers.
 * 3. Each sale has its entries in the ledger of its buyer, and no purchase is without a sale.
 * 4. The money in a wallet is the sum of that in its entries, and never less than what was refunded or disputed.
 * 5. The credit of a wallet is the sum of its entries.
 * 6. A payout has one transfer, one payout at the provider and one event; it is available again only if the transfer
 *    is reversed.
 * 7. Earnings that are available or have left are the proceeds of sales that money has paid for.
 * 8. A subscription has the sales of its charges, and no others.
 *
 * Further laws are those of the instant at which something happens.
 */
import { changeOf } from '../../lambdas/ledger/core/ledger-entry.ts';
import { proceedsOf, remainingOf, type Sale } from '../../lambdas/marketplace/core/earnings/sale.ts';
import { balanceChange, isOpenPayout, type Payout } from '../../lambdas/marketplace/core/payouts/payout.ts';
import { refundedAmount } from '../../lambdas/payments/core/order.ts';
import { NANO_PER_CENT, type NanoUsd } from '../../lambdas/platform/core/money.ts';
import type { MarketState, StoredBalance } from './market-state.ts';

/** The facts of the payment provider that the laws compare. */
export interface ProviderRecords {
  readonly transfers: readonly { readonly transfer_group: string | null; readonly reversed: boolean }[];
  readonly payouts: readonly {
    readonly metadata: Readonly<Record<string, string>>;
    readonly status: string;
    readonly amount: number;
  }[];
}

type Law = readonly [name: string, holds: boolean];

const sumOf = <T>(values: readonly T[], amountOf: (value: T) => NanoUsd): NanoUsd =>
  values.reduce((total, value) => total + amountOf(value), 0n);

const amountOf = ({ amount }: { readonly amount: NanoUsd }): NanoUsd => amount;

const isUnique = (values: readonly unknown[]): boolean => new Set(values).size === values.length;

/** Returns the names of the laws that do not hold. */
export function brokenLaws(state: MarketState, provider: ProviderRecords): readonly string[] {
  const laws: readonly Law[] = [
    ...state.balances.flatMap((balance) => lawsOfSeller(state, balance)),
    ...state.wallets.flatMap(({ walletId }) => lawsOfWallet(state, walletId)),
    ...lawsOfSales(state),
    ...state.payouts.flatMap((payout) => lawsOfPayout(state, payout, provider)),
    ...lawsOfProvider(state, provider),
    ...lawsOfSubscriptions(state),
  ];
  return laws.flatMap(([name, holds]) => (holds ? [] : [name]));
}

function lawsOfSeller(state: MarketState, balance: StoredBalance): readonly Law[] {
  const { sellerId, pending, available, inTransit, paidOut, transferred, received, fees } = balance;
  const parts = [pending, available, inTransit, paidOut, transferred, fees];
  const sales = state.sales.filter((sale) => sale.sellerId === sellerId);
  const payouts = state.payouts.filter((payout) => payout.sellerId === sellerId);
  const transfers = state.entries.filter(
    ({ accountId, kind }) => accountId === sellerId && kind === 'transfer',
  );
  const inPart = (part: 'inTransit' | 'paidOut') =>
    sumOf(payouts, (payout) => balanceChange(undefined, payout)[part]);
  const earned = sumOf(
    sales.filter(({ status, payable }) => payable && status !== 'pending'),
    proceedsOf,
  );
  // What granted credit has paid for is refunded out of the available earnings, too, after it has matured.
  const refunded = sumOf(transfers, ({ id, amount }) => {
    const sale = sales.find(({ chargeId, payable }) => chargeId === id && !payable);
    return sale === undefined ? 0n : amount - proceedsOf(sale);
  });
  return [
    ['1: received is the sum of its parts', received === sumOf(parts, (part) => part) - fees],
    ['1: no part is below 0', parts.every((part) => part >= 0n)],
    ['1: every part is in whole cents', parts.every((part) => part % NANO_PER_CENT === 0n)],
    [
      '2: pending is the sum of the pending sales',
      pending ===
        sumOf(
          sales.filter(({ status }) => status === 'pending'),
          proceedsOf,
        ),
    ],
    ['2: received is the sum of the sales', received === sumOf(sales, proceedsOf)],
    ['2: fees are the remainders of the prices', received + fees === sumOf(sales, remainingOf)],
    ['2: in transit is the sum of its payouts', inTransit === inPart('inTransit')],
    ['2: paid out is the sum of its payouts', paidOut === inPart('paidOut')],
    ['2: transferred is the sum of the transfers', transferred === sumOf(transfers, amountOf)],
    [
      '2: at most one payout is open, and counted',
      balance.openPayouts === payouts.filter(isOpenPayout).length && balance.openPayouts <= 1,
    ],
    [
      '7: what has left or may leave was paid for with money',
      available + inTransit + paidOut + sumOf(transfers, ({ cash }) => cash) === earned - refunded,
    ],
  ];
}

function lawsOfWallet({ entries, orders, wallets }: MarketState, accountId: string): readonly Law[] {
  const wallet = wallets.find(({ walletId }) => walletId === accountId);
  const own = entries.filter((entry) => entry.accountId === accountId);
  const {
    balance = 0n,
    debt = 0n,
    netCash = 0n,
    payableCash = 0n,
    spentAmount = 0n,
    holds = [],
  } = wallet ?? {};
  const reversed = sumOf(
    orders.filter((order) => order.accountId === accountId),
    refundedAmount,
  );
  return [
    ['4: net cash is the sum over the entries', netCash === sumOf(own, ({ cash }) => cash)],
    ['4: net cash is not below what was taken back', netCash >= -reversed],
    ['4: no more than net cash is payable', payableCash <= netCash],
    [
      '5: credit is the sum of the entries, less calls',
      balance - debt === sumOf(own, changeOf) - spentAmount - sumOf(holds, amountOf),
    ],
    ['5: neither credit nor debt is below 0', balance >= 0n && debt >= 0n],
  ];
}

function lawsOfSales({ sales, entries }: MarketState): readonly Law[] {
  const purchases = entries.filter(({ kind }) => kind === 'purchase');
  const refunds = entries.filter(({ kind }) => kind === 'purchase_refund');
  const refundsOf = (chargeId: string) => refunds.filter(({ id }) => id.startsWith(`${chargeId}#`));
  return [
    ['3: there is a sale for each purchase', purchases.length === sales.length],
    [
      '3: each sale has its purchase and its refunds',
      sales.every(({ chargeId, buyerId, gross, returned, payable }) => {
        const purchase = purchases.find(({ id, accountId }) => id === chargeId && accountId === buyerId);
        const back = refundsOf(chargeId);
        const cash = (amount: NanoUsd) => (payable ? amount : 0n);
        return (
          purchase?.amount === gross &&
          purchase.cash === -cash(gross) &&
          back.every(({ accountId }) => accountId === buyerId) &&
          sumOf(back, amountOf) === returned &&
          sumOf(back, (entry) => entry.cash) === cash(returned)
        );
      }),
    ],
    [
      '3: each refund has its sale',
      refunds.length === sales.flatMap(({ chargeId }) => refundsOf(chargeId)).length,
    ],
  ];
}

function lawsOfPayout(
  { events }: MarketState,
  { id, paidAt, returned }: Payout,
  { transfers }: ProviderRecords,
): readonly Law[] {
  const reports = events.filter(({ type, data }) => type === 'payout.paid' && data.payout_id === id);
  return [
    ['6: a payout has one event if it was paid', reports.length === (paidAt === undefined ? 0 : 1)],
    [
      '6: what is available again is back on the platform',
      !returned || transfers.every((each) => each.transfer_group !== id || each.reversed),
    ],
  ];
}

const lawsOfProvider = ({ payouts }: MarketState, provider: ProviderRecords): readonly Law[] => {
  const transferred = provider.transfers.map((transfer) => transfer.transfer_group);
  const paid = provider.payouts.map(({ metadata }) => metadata.payout_id);
  return [
    ['6: a payout has one transfer', isUnique(transferred)],
    ['6: a payout has one payout at the provider', isUnique(paid)],
    [
      '6: nothing left without a payout',
      [...transferred, ...paid].every((group) => payouts.some(({ id }) => id === group)),
    ],
  ];
};

const lawsOfSubscriptions = ({ subscriptions, sales }: MarketState): readonly Law[] => [
  [
    '8: a subscription has the sales of its charges',
    subscriptions.every(({ id, charges, sellerId, subscriberId }) => {
      const own = sales.filter(({ chargeId }) => chargeId.startsWith(`${id}#`));
      const expected = sellerId === subscriberId ? 0 : charges;
      return (
        own.length === expected && own.every(({ chargeId }) => Number(chargeId.split('#')[1]) <= charges)
      );
    }),
  ],
  [
    '8: one subscription of an account to a listing is live',
    isUnique(
      subscriptions
        .filter(({ status }) => status !== 'canceled')
        .map(({ listingId, subscriberId }) => `${listingId} ${subscriberId}`),
    ),
  ],
];

interface MaturityContext {
  /** The worker whose call was the last one. */
  readonly worker: { readonly startedAt: number } | undefined;
  /** The number of calls so far. */
  readonly sequence: number;
  /** Orders that no bank has paid. */
  readonly granted: ReadonlySet<string>;
}

/**
 * Laws of the instant at which a sale matures or is returned: the money of matured sales has been paid, and no buyer gets
 * back more than its bank has taken.
 */
export class MaturityLaws {
  #available = new Set<string>();
  #refunded = new Map<string, NanoUsd>();
  /** The call after which the bank last took something from a buyer. */
  readonly #refundedAt = new Map<string, number>();

  broken(state: MarketState, context: MaturityContext): readonly string[] {
    for (const order of state.orders) {
      const refunded = refundedAmount(order);
      if (this.#refunded.get(order.id) !== refunded) this.#refundedAt.set(order.accountId, context.sequence);
      this.#refunded.set(order.id, refunded);
    }
    const available = state.sales.filter(({ status }) => status === 'available');
    const matured = available.filter(({ chargeId }) => !this.#available.has(chargeId));
    this.#available = new Set(available.map(({ chargeId }) => chargeId));
    return [
      ...matured.flatMap((sale) =>
        this.#isCovered(state, sale, context) ? [] : ['9: a sale has matured without money'],
      ),
      ...state.wallets.flatMap(({ walletId }) =>
        isReturnedOnce(state, walletId) ? [] : ['10: a buyer gets back more than the bank has taken'],
      ),
    ];
  }

  #isCovered(
    { orders, sales, entries }: MarketState,
    { buyerId, created }: Sale,
    { worker, granted }: MaturityContext,
  ): boolean {
    // The check and the write of a maturity are two requests: a dispute between them counts as one after it.
    if (worker === undefined || (this.#refundedAt.get(buyerId) ?? 0) >= worker.startedAt) return true;
    const own = orders.filter(({ accountId }) => accountId === buyerId);
    if (own.some((order) => refundedAmount(order) > 0n && order.created > created)) return true;
    const paid = sumOf(own, (order) =>
      granted.has(order.id) ? 0n : (order.paid ?? 0n) - refundedAmount(order),
    );
    const earned = entries.filter(({ accountId, kind }) => accountId === buyerId && kind === 'transfer');
    const matured = sales.filter((sale) => sale.buyerId === buyerId && sale.status === 'available');
    return sumOf(matured, remainingOf) <= paid + sumOf(earned, ({ cash }) => cash);
  }
}

/** The schedule returns in whole cents what the bank has taken; the end of the id is the amount that was returned by then. */
function isReturnedOnce({ orders, entries }: MarketState, buyerId: string): boolean {
  const returns = entries.filter(
    ({ accountId, kind, id }) => accountId === buyerId && kind === 'purchase_refund' && /#\d{7,20}$/.test(id),
  );
  const taken = orders
    .filter(({ accountId }) => accountId === buyerId)
    .flatMap(({ reversals }) => Object.values(reversals));
  const rounding = BigInt(returns.length) * NANO_PER_CENT;
  return sumOf(returns, amountOf) <= sumOf(taken, amountOf) + rounding;
}
