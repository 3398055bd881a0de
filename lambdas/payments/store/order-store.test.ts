import { beforeAll, describe, expect, it } from '@jest/globals';
import { Accounts } from '../../access/core/accounts/accounts.ts';
import { DynamoAccountStore } from '../../access/store/accounts/account-store.ts';
import { systemUlid } from '../../platform/system/system.ts';
import { fileDatabase } from '../../platform/testing/file-database.ts';
import type { Order } from '../core/order.ts';
import type { OrderStore } from '../core/ports.ts';
import { createOrderStore } from './create-orders.ts';

const NOW = Date.UTC(2026, 6, 15, 12) / 1000;
const DOLLAR = 1_000_000_000n;

const database = fileDatabase();
let store: OrderStore;
let accountId: string;

beforeAll(async () => {
  store = createOrderStore({ clients: database, environment: database.environment });
  const accounts = new DynamoAccountStore(database.client, database.tables);
  accountId = await new Accounts({ store: accounts, clock: () => NOW * 1000, ulid: systemUlid }).open();
});

const referenceOf = ({ id, accountId: owner }: Order) => ({ orderId: id, accountId: owner });

const newOrder = (): Order => ({
  id: `ord_${systemUlid()}`,
  accountId,
  amount: 25n * DOLLAR,
  created: NOW,
  reversals: {},
  version: 0,
});

async function saved(): Promise<Order> {
  const order = { ...newOrder(), checkoutUrl: 'https://pay.example.com/1' };
  await store.save(order);
  return order;
}

describe('an order', () => {
  it.each<[string, Partial<Order>]>([
    ['expired', { checkoutEnd: 'expired' }],
    ['failed', { checkoutEnd: 'failed' }],
    ['paid', { paid: 25n * DOLLAR }],
    ['paid after it had expired', { paid: 5n, checkoutEnd: 'expired' }],
    [
      'taken back in part, and disputed in vain',
      {
        paid: 25n * DOLLAR,
        reversals: { re_1: { amount: 1n, undone: false }, dp_1: { amount: 2n * DOLLAR, undone: true } },
      },
    ],
  ])('loads as it was stored: %s', async (_case, facts) => {
    const order = await saved();
    expect(await store.find(referenceOf(order))).toEqual(order);
    const after = { ...order, ...facts, version: 1 };
    expect(await store.advance(order, after, [])).toBe('done');
    expect(await store.find(referenceOf(order))).toEqual(after);
  });

  it('advances once from each version under concurrent events', async () => {
    const order = await saved();
    const paid = { ...order, paid: order.amount, version: 1 };
    const ended = { ...order, checkoutEnd: 'expired' as const, version: 1 };
    const results = await Promise.all([store.advance(order, paid, []), store.advance(order, ended, [])]);
    expect(results.toSorted()).toEqual(['done', 'stale']);
    expect(await store.advance(order, { ...paid, version: 1 }, [])).toBe('stale');
    const storedOrder = await store.find(referenceOf(order));
    if (storedOrder === undefined) throw new Error('the order is gone');
    expect(storedOrder).toEqual(results[0] === 'done' ? paid : ended);
    expect(await store.advance(storedOrder, { ...storedOrder, paid: 7n, version: 2 }, [])).toBe('done');
  });

  it('does not advance, and nothing of it is stored, if its account has no wallet', async () => {
    const order = await saved();
    const paid = { ...order, accountId: 'acc_of_nobody', paid: order.amount, version: 1 };
    const entries = [
      { kind: 'top_up' as const, id: order.id, amount: order.amount, cash: order.amount, source: 'payment' },
    ];
    for (const some of [entries, []]) {
      expect(await store.advance({ ...order, accountId: 'acc_of_nobody' }, paid, some)).toBe('no account');
      expect(await store.find({ orderId: order.id, accountId: 'acc_of_nobody' })).toBeUndefined();
    }
    expect(await store.find(referenceOf(order))).toEqual(order);
  });

  it('uses the paid amount as its amount until it is saved, if its payment event arrives first', async () => {
    const order = newOrder();
    const paid = { ...order, paid: 7n, version: 1 };
    expect(await store.advance(order, paid, [])).toBe('done');
    expect(await store.find(referenceOf(order))).toEqual({ ...paid, amount: 7n });
    await store.save({ ...order, checkoutUrl: 'https://pay.example.com/2' });
    expect(await store.find(referenceOf(order))).toMatchObject({ amount: 25n * DOLLAR, paid: 7n });
  });

  it('retains its later state if it is saved again, as after a lost response', async () => {
    const order = await saved();
    const paid = { ...order, paid: order.amount, version: 1 };
    await store.advance(order, paid, []);
    await store.save(order);
    expect(await store.find(referenceOf(order))).toEqual(paid);
  });

  it('belongs only to its account, and the list shows the newest first', async () => {
    const [first, second] = [await saved(), await saved()];
    const { entries } = await store.list(accountId, 100);
    const ids = entries.map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining([first.id, second.id]));
    expect(ids).toEqual(ids.toSorted().reverse());
    expect(entries.find(({ id }) => id === second.id)).toEqual(second);
    const page = await store.list(accountId, 1);
    expect(page).toMatchObject({ entries: [{ id: ids[0] }], next: ids[0] });
    expect((await store.list(accountId, 1, ids[0])).entries.map(({ id }) => id)).toEqual([ids[1]]);
    expect((await store.list('acc_other', 100)).entries).toEqual([]);
    expect(await store.find({ orderId: first.id, accountId: 'acc_other' })).toBeUndefined();
  });
});
