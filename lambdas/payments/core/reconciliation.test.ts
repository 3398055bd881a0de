import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../tools/test-kit/search.ts';
import { seedOf } from '../../../tools/test-kit/seed.ts';
import { rounds } from '../../../tools/test-kit/thorough.ts';
import type { Log } from '../../platform/core/ports.ts';
import type { Order, PaymentFact } from './order.ts';
import { applyEvent } from './orders.ts';
import { type ListedFact, type ListName, ListTooLongError, type OrderReference } from './ports.ts';
import { PAYMENT_DAYS, type ReconciliationDependencies, reconcilePayments } from './reconciliation.ts';

const DAY = 86_400;
const NOW = 100 * DAY;
const OURS = 'acc_A';
const FOREIGN = 'acc_of_another_deployment';

const order = (id: string, fields: Partial<Order> = {}): Order => ({
  id,
  accountId: OURS,
  amount: 10n,
  created: NOW - 3 * DAY,
  checkoutUrl: 'https://checkout.example.com/',
  reversals: {},
  version: 0,
  ...fields,
});

/** The orders of two accounts, and what each account was credited. */
class Books {
  readonly orders = new Map<string, Order>();
  readonly credited = new Map<string, bigint>();

  constructor(...orders: readonly Order[]) {
    for (const each of orders) this.orders.set(`${each.accountId} ${each.id}`, each);
  }

  readonly find = async ({ accountId, orderId }: OrderReference) =>
    this.orders.get(`${accountId} ${orderId}`);

  readonly hasAccount = async (accountId: string) => accountId !== FOREIGN;

  readonly advance: ReconciliationDependencies['store']['advance'] = async (_before, after, entries) => {
    if (after.accountId === FOREIGN) return 'no account';
    this.orders.set(`${after.accountId} ${after.id}`, after);
    const change = entries.reduce(
      (sum, { kind, amount }) => (kind === 'refund' ? sum - amount : sum + amount),
      0n,
    );
    this.credited.set(after.accountId, (this.credited.get(after.accountId) ?? 0n) + change);
    return 'done';
  };

  async *paidOrders({ from, to }: { readonly from: number; readonly to: number }) {
    yield [...this.orders.values()].filter(
      ({ paid, created }) => paid !== undefined && created >= from && created <= to,
    );
  }
}

const paid = (amount: bigint): PaymentFact => ({ kind: 'paid', amount });
const reversal = (id: string, amount: bigint, undone = false): PaymentFact => ({
  kind: 'reversal',
  id,
  amount,
  undone,
});

type ListEntry = readonly [id: string, orderId: string, fact: PaymentFact | undefined, accountId?: string];

interface Scenario {
  readonly lists?: Partial<Record<ListName, readonly ListEntry[]>>;
  readonly tooLong?: ListName;
  readonly isConfigured?: boolean;
  readonly onWait?: () => void;
}

function context(books: Books, { lists = {}, tooLong, isConfigured = true, onWait }: Scenario) {
  const since: Partial<Record<ListName, number>> = {};
  const logged: string[] = [];
  const applied: string[] = [];
  let waits = 0;
  const log = {
    info: () => {},
    warn: () => {},
    error: (line: string) => logged.push(line),
  } as unknown as Log;
  const dependencies: ReconciliationDependencies = {
    lists: {
      isConfigured: async () => isConfigured,
      async *list(name, sinceSeconds) {
        since[name] = sinceSeconds;
        yield (lists[name] ?? []).map(
          ([id, orderId, fact, accountId = OURS]): ListedFact => ({
            id,
            order: { orderId, accountId },
            fact,
            created: NOW,
          }),
        );
        if (name === tooLong) throw new ListTooLongError(name);
      },
    },
    store: books,
    onApplied: (result) => applied.push(result),
    async wait() {
      waits += 1;
      onWait?.();
    },
    clock: () => NOW * 1000,
    log,
  };
  const run = (days?: number) => reconcilePayments(dependencies, days);
  return { run, dependencies, since, logged, applied, waits: () => waits };
}

describe('a reconciliation', () => {
  it('applies the payment, refund and dispute that no event has brought, once', async () => {
    const books = new Books(order('o1'), order('o2', { paid: 10n, version: 1 }));
    const { run, applied } = context(books, {
      lists: {
        payments: [
          ['cs_1', 'o1', paid(10n)],
          ['cs_2', 'o2', paid(10n)],
        ],
        refunds: [['re_1', 'o1', reversal('re_1', 3n)]],
        disputes: [['du_1', 'o2', reversal('du_1', 10n)]],
      },
    });
    expect(await run()).toEqual({ compared: 4, applied: 3, differing: 0, differences: [], complete: true });
    expect(books.credited.get(OURS)).toBe(10n - 3n - 10n);
    expect(applied).toEqual(['credited', 'changed', 'changed']);
    expect(await run()).toMatchObject({ compared: 4, applied: 0, differing: 0 });
    expect(books.credited.get(OURS)).toBe(-3n);
  });

  it('lets an event that is on its way arrive, and then has missed nothing', async () => {
    const books = new Books(order('o1'));
    const { run, applied, waits } = context(books, {
      lists: { payments: [['cs_1', 'o1', paid(10n)]] },
      onWait: () => books.orders.set(`${OURS} o1`, order('o1', { paid: 10n, version: 1 })),
    });
    expect(await run()).toMatchObject({ compared: 1, applied: 0, differing: 0 });
    expect([waits(), applied]).toEqual([1, []]);
  });

  it('does nothing, and waits for nothing, without a payment provider', async () => {
    const { run, since, waits } = context(new Books(order('o1', { paid: 10n })), { isConfigured: false });
    expect(await run()).toBeUndefined();
    expect([since, waits()]).toEqual([{}, 0]);
  });

  it('lists payments of a week and reversals of 120 days, or of the given number of days', async () => {
    const { run, since } = context(new Books(), {});
    await run();
    const days = (names: typeof since) => Object.values(names).map((seconds) => (NOW - seconds) / DAY);
    expect(days(since)).toEqual([PAYMENT_DAYS, 120, 120]);
    await run(60);
    expect(days(since)).toEqual([60, 120, 120]);
  });

  it('applies what it has read of a list that is too long, and says that it is not complete', async () => {
    const books = new Books(order('o1'), order('o2', { paid: 10n }));
    const { run } = context(books, { tooLong: 'payments', lists: { payments: [['cs_1', 'o1', paid(10n)]] } });
    // No order is called unknown on a list that was not read to its end.
    expect(await run()).toMatchObject({ applied: 1, differing: 0, complete: false });
  });

  const paidOrder = order('o1', { paid: 10n, version: 1 });
  it.each<[string, Order, Scenario['lists'], string | undefined]>([
    ['an unknown order', order('o1'), { payments: [['cs', 'other', paid(10n)]] }, 'unknown_order'],
    [
      'an order that was never stored',
      order('o1', { checkoutUrl: undefined, paid: 10n, created: NOW }),
      { payments: [['cs', 'o1', paid(10n)]] },
      'unknown_order',
    ],
    ['more than the order', order('o1'), { payments: [['cs', 'o1', paid(11n)]] }, 'amount_differs'],
    ['less than what was credited', paidOrder, { payments: [['cs', 'o1', paid(9n)]] }, 'amount_differs'],
    ['another currency', order('o1'), { payments: [['cs', 'o1', undefined]] }, 'unreadable_amount'],
    [
      'two payments',
      paidOrder,
      {
        payments: [
          ['cs_1', 'o1', paid(10n)],
          ['cs_2', 'o1', paid(10n)],
        ],
      },
      'paid_twice',
    ],
    [
      'a refund without a payment',
      order('o1'),
      { refunds: [['re', 'o1', reversal('re', 3n)]] },
      'reversal_of_unpaid_order',
    ],
    [
      'a refund that failed here alone',
      { ...paidOrder, reversals: { re: { amount: 3n, undone: true } } },
      { payments: [['cs', 'o1', paid(10n)]], refunds: [['re', 'o1', reversal('re', 3n)]] },
      'amount_differs',
    ],
    ['a credit without a payment', paidOrder, {}, 'unknown_to_provider'],
    ['a credit whose checkout may still be paid', { ...paidOrder, created: NOW - DAY }, {}, undefined],
    ['a credit from before the lists', { ...paidOrder, created: NOW - 8 * DAY }, {}, undefined],
    [
      'an order of another deployment',
      order('o1'),
      { payments: [['cs', 'o9', paid(10n), FOREIGN]] },
      undefined,
    ],
  ])('names what differs, and credits nobody for it: %s', async (_what, stored, lists = {}, reason) => {
    const books = new Books(stored);
    const { run, logged } = context(books, { lists });
    const result = await run();
    expect(result?.differences.map((each) => each.reason)).toEqual(reason === undefined ? [] : [reason]);
    expect([result?.applied, books.credited.size]).toEqual([0, 0]);
    expect(logged).toEqual(reason === undefined ? [] : ['payments differ']);
  });
});

describe('a list with false entries', () => {
  const ACCOUNTS = [OURS, 'acc_B', FOREIGN];
  const IDS = ['o1', 'o2', 'o3', 'never'];
  const lie = fc.record({
    account: fc.constantFrom(...ACCOUNTS),
    order: fc.constantFrom(...IDS),
    checkout: fc.constantFrom('cs_1', 'cs_2', 'cs_3'),
    amount: fc.constantFrom(undefined, 0n, 9n, 10n, 20n, 1_000_000n),
  });
  const lies = fc.array(lie, { maxLength: 8 });
  const stored = [order('o1'), order('o2', { amount: 20n }), order('o3', { accountId: 'acc_B' })];
  type Lie = typeof lie extends fc.Arbitrary<infer T> ? T : never;

  const listedOf = (told: readonly Lie[]): readonly ListEntry[] =>
    told.map(({ account, order: id, checkout, amount }) => [
      checkout,
      id,
      amount === undefined ? undefined : paid(amount),
      account,
    ]);

  /** Each account has at most the amounts of its own orders for which the exact payment is listed. */
  async function requireHonest(told: readonly Lie[], run: (books: Books) => Promise<unknown>): Promise<void> {
    const books = new Books(...stored);
    await run(books);
    for (const account of ACCOUNTS) {
      const due = stored
        .filter(({ id, accountId, amount }) =>
          told.some((each) => each.order === id && each.account === accountId && each.amount === amount),
        )
        .filter(({ accountId }) => accountId === account)
        .reduce((sum, { amount }) => sum + amount, 0n);
      expect((books.credited.get(account) ?? 0n) <= due).toBe(true);
    }
  }

  const options = { numRuns: rounds(300), seed: seedOf('lies of a list') };

  it('credits an account only for a payment of exactly its own order', async () => {
    await fc.assert(
      fc.asyncProperty(lies, (told) =>
        requireHonest(told, (books) => context(books, { lists: { payments: listedOf(told) } }).run()),
      ),
      options,
    );
  });

  it('credits the wrong account if its entries are applied like events (control)', async () => {
    const trusting = fc.asyncProperty(lies, (told) =>
      requireHonest(told, async (books) => {
        const { dependencies } = context(books, {});
        for (const [, orderId, fact, accountId = OURS] of listedOf(told))
          if (fact !== undefined)
            await applyEvent(dependencies, { order: { orderId, accountId }, fact, created: NOW });
      }),
    );
    await expect(fc.assert(trusting, options)).rejects.toThrow();
  });
});
