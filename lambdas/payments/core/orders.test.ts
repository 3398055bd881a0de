import { describe, expect, it } from '@jest/globals';
import type { LedgerEntry } from '../../ledger/core/ledger-entry.ts';
import { applyFact, type Order, type PaymentFact } from './order.ts';
import { applyEvent, createOrder, ownOrder } from './orders.ts';
import type { OrderReference, OrderStore, OrdersFull } from './ports.ts';

const ULID = '01JQ8Z3W4X5Y6Z7A8B9C0D1E2F';
const REFERENCE: OrderReference = { orderId: `ord_${ULID}`, accountId: 'acc_1' };
const NEW: Order = {
  id: REFERENCE.orderId,
  accountId: REFERENCE.accountId,
  amount: 1_000n,
  created: 5,
  checkoutUrl: 'https://checkout.example.com/1',
  reversals: {},
  version: 0,
};
const PAID: PaymentFact = { kind: 'paid', amount: 1_000n };

/** The orders of one account in memory, and what was done to them. */
class Orders implements Pick<OrderStore, 'reserve' | 'callOff' | 'save' | 'find' | 'advance'> {
  readonly steps: string[] = [];
  readonly entries: LedgerEntry[] = [];
  order: Order | undefined;
  full: OrdersFull | undefined;
  /** Answers of the next advances; each comes from another event of the order, which is there by then. */
  readonly meetings: { readonly fact: PaymentFact }[] = [];
  hasAccount = true;

  constructor(order?: Order) {
    this.order = order;
  }

  async reserve() {
    this.steps.push('reserve');
    return this.full ?? ('reserved' as const);
  }

  async callOff() {
    this.steps.push('call off');
  }

  async save(order: Order) {
    this.steps.push('save');
    this.order = order;
  }

  async find({ orderId }: OrderReference) {
    this.steps.push('find');
    return this.order?.id === orderId ? this.order : undefined;
  }

  async advance(before: Order, after: Order, entries: readonly LedgerEntry[]) {
    this.steps.push('advance');
    if (!this.hasAccount) return 'no account' as const;
    const meeting = this.meetings.shift();
    if (meeting !== undefined) {
      this.order = applyFact(this.order ?? before, meeting.fact);
      return 'stale' as const;
    }
    this.order = after;
    this.entries.push(...entries);
    return 'done' as const;
  }
}

function context(orders: Orders) {
  const warnings: [message: string, details: unknown][] = [];
  const log = { warn: (message: string, details: unknown) => warnings.push([message, details]) };
  const apply = (fact: PaymentFact, created = 7) =>
    applyEvent({ store: orders, log } as unknown as Parameters<typeof applyEvent>[0], {
      order: REFERENCE,
      fact,
      created,
    });
  return { apply, warnings };
}

describe('a new order', () => {
  const requests: unknown[] = [];
  const create = (orders: Orders, openCheckout: () => Promise<{ url: string }>) =>
    createOrder(
      {
        store: orders as unknown as OrderStore,
        provider: {
          openCheckout: (order) => {
            orders.steps.push('open checkout');
            requests.push(order);
            return openCheckout();
          },
        },
        clock: () => 5_999,
        ulid: () => ULID,
      },
      REFERENCE.accountId,
      1_000n,
    );

  it('reserves its count, then opens a checkout at the provider, then enters the store', async () => {
    const orders = new Orders();
    const order = await create(orders, async () => ({ url: 'https://checkout.example.com/1' }));
    expect(order).toEqual(NEW);
    expect(orders.order).toEqual(NEW);
    expect(requests).toEqual([{ ...REFERENCE, amount: 1_000n }]);
    expect(orders.steps).toEqual(['reserve', 'open checkout', 'save']);
  });

  it('ends as canceled if its checkout cannot be opened, and the caller receives the reason', async () => {
    const orders = new Orders();
    const failure = new Error('the provider does not answer');
    await expect(create(orders, () => Promise.reject(failure))).rejects.toBe(failure);
    expect(orders.steps).toEqual(['reserve', 'open checkout', 'call off']);
  });

  it.each([
    ['unpaid', 'unpaid orders'],
    ['today', 'orders a day'],
  ] as const)(
    'causes an error before a checkout is opened if it exceeds the account’s maximum: %s',
    async (why, words) => {
      const orders = new Orders();
      orders.full = { why, retryAfterSeconds: 77 };
      const rejection = create(orders, async () => ({ url: '' }));
      await expect(rejection).rejects.toMatchObject({ code: 'order_quota', retryAfterSeconds: 77 });
      await expect(rejection).rejects.toThrow(words);
      expect(orders.steps).toEqual(['reserve']);
    },
  );
});

describe('an order of the account', () => {
  it('loads by its id', async () => {
    expect(await ownOrder(new Orders(NEW), REFERENCE)).toBe(NEW);
  });

  it.each([
    ['another id', `ord_${ULID.replace('0', '1')}`, 1],
    ['no id of an order, for which nothing is read', `${REFERENCE.orderId}#`, 0],
  ])('returns not_found for %s', async (_what, orderId, reads) => {
    const orders = new Orders(NEW);
    const finding = ownOrder(orders, { ...REFERENCE, orderId });
    await expect(finding).rejects.toMatchObject({ code: 'not_found', param: 'order_id' });
    expect(orders.steps).toHaveLength(reads);
  });
});

describe('an event of a payment', () => {
  it('applies to the result of another event that comes first', async () => {
    const orders = new Orders(NEW);
    orders.meetings.push({ fact: { kind: 'reversal', id: 're_1', amount: 300n, undone: false } });
    await context(orders).apply(PAID);
    expect(orders.order).toMatchObject({ paid: 1_000n, reversals: { re_1: { amount: 300n } }, version: 2 });
    expect(orders.entries.map(({ kind, amount }) => [kind, amount])).toEqual([
      ['top_up', 1_000n],
      ['refund', 300n],
    ]);
  });

  it('fails if other events keep arriving first, so that the provider delivers it again', async () => {
    const orders = new Orders(NEW);
    for (let id = 0; id < 1_000; id += 1)
      orders.meetings.push({ fact: { kind: 'reversal', id: `re_${id}`, amount: 1n, undone: false } });
    await expect(context(orders).apply(PAID)).rejects.toThrow('this order');
    expect(orders.entries).toEqual([]);
  });

  it('creates the order if it is not stored yet', async () => {
    const orders = new Orders();
    await context(orders).apply(PAID, 9);
    expect(orders.order).toEqual({
      id: REFERENCE.orderId,
      accountId: REFERENCE.accountId,
      amount: 0n,
      created: 9,
      paid: 1_000n,
      reversals: {},
      version: 1,
    });
  });

  it('causes only a warning if its account does not exist', async () => {
    const orders = new Orders(NEW);
    orders.hasAccount = false;
    const { apply, warnings } = context(orders);
    await apply(PAID);
    expect(orders.steps).toEqual(['find', 'advance']);
    expect(warnings).toEqual([[expect.any(String), { accountId: 'acc_1', fact: 'paid' }]]);
  });
});
