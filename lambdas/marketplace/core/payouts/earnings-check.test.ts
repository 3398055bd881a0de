import { describe, expect, it } from '@jest/globals';
import type { ComparisonOptions } from '../../../ledger/core/audit/ports.ts';
import {
  EMPTY_BALANCE,
  mature,
  recordSale,
  returnOf,
  type Sale,
  type SellerBalance,
} from '../earnings/sale.ts';
import { type EarningsReader, earningsCheckOf } from './earnings-check.ts';
import type { Payout } from './payout.ts';

const NOW = 1_800_000_000;
const DAY_SECONDS = 86_400;
const CENT = 10_000_000n;

const plus = (balances: readonly SellerBalance[]): SellerBalance => {
  const parts = Object.keys(EMPTY_BALANCE) as (keyof SellerBalance)[];
  const sumOf = (part: keyof SellerBalance) => balances.reduce((sum, each) => sum + each[part], 0n);
  return Object.fromEntries(parts.map((part) => [part, sumOf(part)])) as unknown as SellerBalance;
};

const saleOf = (chargeId: string, { payable = true, age = 1 } = {}): Sale => ({
  chargeId,
  sellerId: 'acc_seller',
  buyerId: 'acc_buyer',
  listingId: 'lst_1',
  gross: 1_000n * CENT,
  fee: 100n * CENT,
  returned: 0n,
  payable,
  status: 'pending',
  created: NOW - age * DAY_SECONDS,
  dueAt: NOW - age * DAY_SECONDS + 7 * DAY_SECONDS,
  held: undefined,
});

const payoutOf = (id: string, facts: Partial<Payout> = {}): Payout => ({
  id,
  sellerId: 'acc_seller',
  amount: 200n * CENT,
  created: NOW,
  attempts: {},
  returned: false,
  version: 1,
  ...facts,
});

/** A seller of a pending sale, an overdue one, a matured one with a return, and one for credit; with a payout of each kind. */
const pending = saleOf('pur_pending');
const overdue = saleOf('pur_overdue', { age: 8 });
const matured = mature(saleOf('pur_matured', { age: 20 }));
const returned = returnOf(matured.sale, 100n * CENT);
const credited = mature(saleOf('pur_credited', { payable: false, age: 20 }));
const PAYOUTS = [
  payoutOf('po_open'),
  payoutOf('po_paid', { paidAt: NOW }),
  payoutOf('po_failed', { paidAt: NOW, end: { how: 'failed' } }),
  payoutOf('po_returned', { end: { how: 'failed' }, returned: true }),
];
const SALES = [pending, overdue, returned.sale, credited.sale];
const moved = { ...EMPTY_BALANCE, available: -600n * CENT, inTransit: 400n * CENT, paidOut: 200n * CENT };
const BALANCE = plus([
  ...[pending, overdue, saleOf('pur_matured'), saleOf('pur_credited')].map(recordSale),
  matured.change,
  returned.change,
  credited.change,
  moved,
]);

interface Broken {
  readonly balance?: Partial<SellerBalance>;
  readonly transfers?: bigint;
  /** Changes the entries of the returned sale in the ledger of its buyer. */
  readonly purchase?: bigint;
  readonly refunded?: bigint;
  /** The balance changes while the sales are compared. */
  readonly isChanging?: boolean;
}

const OPTIONS: ComparisonOptions = { transfers: BALANCE.transferred, nowSeconds: NOW, isWhole: true };

async function check(
  { balance = {}, transfers = 0n, purchase = 0n, refunded = 0n, isChanging = false }: Broken,
  options: Partial<ComparisonOptions> = {},
) {
  const compared: string[] = [];
  let readings = 0;
  const snapshot = { balance: { ...BALANCE, ...balance }, sales: SALES, payouts: PAYOUTS };
  const reader: EarningsReader = {
    async read() {
      readings += 1;
      return { ...snapshot, version: isChanging ? readings : 1 };
    },
    async saleEntries(sale) {
      compared.push(sale.chargeId);
      const isBroken = sale.chargeId === returned.sale.chargeId;
      const [paid, back] = [
        sale.gross + (isBroken ? purchase : 0n),
        sale.returned + (isBroken ? refunded : 0n),
      ];
      const cash = (amount: bigint) => (sale.payable ? amount : 0n);
      return { purchase: { amount: paid, cash: -cash(paid) }, refunded: { amount: back, cash: cash(back) } };
    },
  };
  const earnings = await earningsCheckOf(reader).readEarnings('acc_seller');
  const differences = await earnings?.differences({
    ...OPTIONS,
    transfers: OPTIONS.transfers + transfers,
    ...options,
  });
  const failed = [...(differences ?? [])].filter(([, by]) => by !== 0n).map(([name]) => name);
  return { failed, compared, totals: earnings?.totals(NOW) };
}

describe('the check of earnings', () => {
  it('finds nothing in the balance of a seller that follows its sales and payouts', async () => {
    const { failed, totals } = await check({});
    const { pending: waiting, available, inTransit, paidOut, fees } = BALANCE;
    expect(failed).toEqual([]);
    expect(totals).toEqual({
      pending: waiting,
      available,
      inTransit,
      paidOut,
      fees,
      salesOverdue: DAY_SECONDS,
    });
  });

  it.each([
    [['earnings'], { balance: { available: BALANCE.available + 1n } }],
    [['earnings', 'pending sales'], { balance: { pending: BALANCE.pending + 1n } }],
    [['earnings', 'sales'], { balance: { received: BALANCE.received + 1n } }],
    [['earnings', 'payouts'], { balance: { paidOut: BALANCE.paidOut + 1n } }],
    [['earnings', 'payouts in transit'], { balance: { inTransit: BALANCE.inTransit + 1n } }],
    [['earnings', 'earnings below 0'], { balance: { available: -1n } }],
    [['earnings', 'transfers'], { balance: { transferred: BALANCE.transferred + 1n } }],
    [['fees'], { balance: { fees: BALANCE.fees + 1n } }],
    [['transfers'], { transfers: 1n }],
    [['purchases of buyers'], { purchase: -CENT }],
    [['purchases of buyers'], { refunded: CENT }],
  ] as const)('names each law that does not hold: %s', async (...args: readonly unknown[]) => {
    const [failed, broken] = args as [readonly string[], Broken];
    expect((await check(broken)).failed).toEqual(failed);
  });

  it('compares recent and returned sales with the ledgers of buyers each night, and all if requested', async () => {
    expect((await check({}, { isWhole: false })).compared).toEqual(['pur_pending', 'pur_matured']);
    expect((await check({})).compared).toEqual(SALES.map(({ chargeId }) => chargeId));
  });

  it('leaves a sale that changes during the comparison to the next audit', async () => {
    expect((await check({ purchase: CENT, isChanging: true })).failed).toEqual([]);
  });
});
