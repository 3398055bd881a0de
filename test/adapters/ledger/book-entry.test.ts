import { PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DynamoAccountStore } from '../../../lambdas/adapters/access/account-store.ts';
import {
  type Item,
  map,
  number,
  readText,
  text,
} from '../../../lambdas/adapters/dynamodb/attribute-values.ts';
import { decodeEntry, ENTRY_RANGE, putEntry } from '../../../lambdas/adapters/ledger/book-entry.ts';
import { createWalletStore } from '../../../lambdas/adapters/ledger/wallet/store.ts';
import { DynamoListingStore } from '../../../lambdas/adapters/listings/listing-store.ts';
import { DynamoPurchaseStore } from '../../../lambdas/adapters/listings/purchase-store.ts';
import { createOrderStore } from '../../../lambdas/adapters/payments/create-orders.ts';
import { systemUlid } from '../../../lambdas/adapters/system/system.ts';
import { Accounts } from '../../../lambdas/core/access/accounts.ts';
import { ENTRY_KINDS } from '../../../lambdas/core/ledger/book-entry.ts';
import type { ActionDependencies } from '../../../lambdas/core/listings/actions.ts';
import { newListing } from '../../../lambdas/core/listings/fields.ts';
import { Listings } from '../../../lambdas/core/listings/listings.ts';
import type { PurchaseStore } from '../../../lambdas/core/listings/ports.ts';
import { purchase } from '../../../lambdas/core/listings/purchases.ts';
import { applyEvent } from '../../../lambdas/core/payments/orders.ts';
import { auditAll, NOON_MS, SILENT } from '../../core/ledger/running-ledger.ts';
import { startDatabase, type TestDatabase } from '../engine.ts';

const DOLLAR = 1_000_000_000n;
const system = { clock: () => NOON_MS, ulid: systemUlid };

let database: TestDatabase;
let accounts: Accounts;
let listings: Listings;
let purchases: ActionDependencies<PurchaseStore>;

beforeAll(async () => {
  database = await startDatabase();
  const { client, tables } = database;
  accounts = new Accounts({ store: new DynamoAccountStore(client, tables), ...system });
  listings = new Listings({ store: new DynamoListingStore(client, tables.listings), ...system });
  purchases = { store: new DynamoPurchaseStore(database, tables), listings, ...system };
});
afterAll(() => database.stop());

const put = (table: string, item: Item) =>
  database.client.send(new PutItemCommand({ TableName: table, Item: item }));

const addToBalance = (accountId: string, by: bigint) =>
  database.client.send(
    new UpdateItemCommand({
      TableName: database.tables.wallets,
      Key: { wallet_id: text(accountId) },
      UpdateExpression: 'SET balance = balance + :by, received = received + :by',
      ExpressionAttributeValues: { ':by': number(by) },
    }),
  );

const balance = async (accountId: string) =>
  (await createWalletStore(database, database.tables.wallets).read(accountId))?.balance;

describe('an entry of the books', () => {
  it.each(ENTRY_KINDS)('is read as it was written, within the range that is queried: %s', (kind) => {
    const place = { table: 'accounts', accountId: 'acc_1', created: 1 };
    const item = putEntry(place, { kind, id: '1', amount: 5n, source: 'test' }).Put?.Item ?? {};
    expect(decodeEntry(item)).toEqual({ kind, amount: 5n });
    const key = item.item?.S ?? '';
    expect(key > readText(ENTRY_RANGE, ':first') && key < readText(ENTRY_RANGE, ':last')).toBe(true);
  });

  it.each(['account', 'order#ord_1', 'order_counts'])('is no other item of an account: %s', (key) => {
    expect(key < readText(ENTRY_RANGE, ':first') || key > readText(ENTRY_RANGE, ':last')).toBe(true);
    expect(() => decodeEntry({ item: text(key), amount: number(1) })).toThrow('no entry of the books');
  });

  it.each([
    ['purchase', -7n, 'purchase'],
    ['sale', 7n, 'sale'],
    ['grant', 7n, 'top_up'],
    ['order', 7n, 'top_up'],
  ])('of an earlier version is read by what it is: a top-up of source %s', (source, amount, kind) => {
    const item = { item: text('top_up#pur_1'), amount: number(amount), source: text(source) };
    expect(decodeEntry(item)).toEqual({ kind, amount: 7n });
  });
});

describe('the books of an account from before the kinds', () => {
  const orderId = `ord_${systemUlid()}`;
  let thing: { readonly kind: 'app'; readonly id: string };
  let [buyer, owner] = ['', ''];

  const oldEntry = (accountId: string, id: string, amount: bigint, source: string) =>
    put(database.tables.accounts, {
      account_id: text(accountId),
      item: text(id),
      amount: number(amount),
      created: number(1),
      source: text(source),
    });

  /** A grant of 10 USD and a paid order of 20, less 5 refunded; a purchase of 3. */
  beforeAll(async () => {
    [buyer, owner] = [await accounts.open(), await accounts.open()];
    const body = {
      name: 'Thing',
      summary: 'One.',
      category: 'tools',
      price: { amount: 300, currency: 'USD' },
    };
    const { id } = await listings.create('app', owner, newListing.parse(body));
    thing = { kind: 'app', id };
    await oldEntry(buyer, 'top_up#grant-1', 10n * DOLLAR, 'grant');
    await oldEntry(buyer, `top_up#${orderId}`, 20n * DOLLAR, 'order');
    await oldEntry(buyer, `refund#${orderId}#2`, 5n * DOLLAR, 'order');
    await oldEntry(buyer, 'top_up#pur_1', -3n * DOLLAR, 'purchase');
    await oldEntry(owner, 'top_up#pur_1', 3n * DOLLAR, 'sale');
    await put(database.tables.accounts, {
      account_id: text(buyer),
      item: text(`order#${orderId}`),
      amount: number(20n * DOLLAR),
      created: number(1),
      checkout_url: text('https://example.com'),
      paid: number(20n * DOLLAR),
      reversals: map({ re_1: map({ amount: number(5n * DOLLAR), undone: { BOOL: false } }) }),
      version: number(2),
    });
    await put(database.tables.listings, {
      listing_id: text(id),
      item: text(`purchase#${buyer}`),
      id: text('pur_1'),
      buyer_id: text(buyer),
      minor_units: number(300),
      currency: text('USD'),
      created: number(1),
    });
    await addToBalance(buyer, 22n * DOLLAR);
    await addToBalance(owner, 3n * DOLLAR);
  });

  const BOOKS = { topUps: 30n * DOLLAR, refunds: 5n * DOLLAR, purchases: 3n * DOLLAR, sales: 3n * DOLLAR };

  it('balance', async () => {
    expect(await auditAll(database.client)).toMatchObject({ ...BOOKS, exact: true, drift: 0n });
  });

  it('take nothing twice: a top-up, a payment, a refund and a purchase that come again find the first', async () => {
    const store = createOrderStore({ clients: database, environment: database.environment });
    const order = { orderId, accountId: buyer };
    const again = { log: SILENT, store };
    const topUp = { accountId: buyer, amount: 10n * DOLLAR, source: 'grant', id: 'grant-1' };
    expect(await accounts.topUp(topUp)).toBe('repeated');
    await applyEvent(again, { order, created: 1, fact: { kind: 'paid', amount: 20n * DOLLAR } });
    const refund = { kind: 'reversal', id: 're_1', amount: 5n * DOLLAR, undone: false } as const;
    await applyEvent(again, { order, created: 1, fact: refund });
    const bought = await purchase(
      purchases,
      { ...thing, accountId: buyer },
      { price: { amount: 300 }, state: undefined },
    );
    expect(bought).toMatchObject({ repeated: true, entry: { id: 'pur_1' } });
    expect([await balance(buyer), await balance(owner)]).toEqual([22n * DOLLAR, 3n * DOLLAR]);
    expect(await auditAll(database.client)).toMatchObject({ ...BOOKS, exact: true, drift: 0n });
  });

  it('balance with new entries beside the old ones', async () => {
    const accountId = await accounts.open();
    await accounts.topUp({ accountId, amount: 4n * DOLLAR, source: 'grant' });
    const seen = { price: { amount: 300 }, state: undefined };
    expect(await purchase(purchases, { ...thing, accountId }, seen)).toMatchObject({ repeated: false });
    const store = createOrderStore({ clients: database, environment: database.environment });
    const fact = { kind: 'reversal', id: 're_2', amount: DOLLAR, undone: false } as const;
    await applyEvent({ log: SILENT, store }, { order: { orderId, accountId: buyer }, created: 2, fact });
    expect(await auditAll(database.client)).toMatchObject({
      topUps: 34n * DOLLAR,
      refunds: 6n * DOLLAR,
      purchases: 6n * DOLLAR,
      sales: 6n * DOLLAR,
      balances: 28n * DOLLAR,
      exact: true,
    });
  });

  it('do not balance when an entry of either form is missing or doubled', async () => {
    await oldEntry(owner, 'top_up#pur_2', DOLLAR, 'sale');
    expect(await auditAll(database.client)).toMatchObject({ exact: false, drift: DOLLAR });
    const { Put } = putEntry(
      { table: database.tables.accounts, accountId: owner, created: 1 },
      { kind: 'purchase', id: 'pur_3', amount: DOLLAR, source: thing.id },
    );
    await database.client.send(new PutItemCommand({ TableName: Put?.TableName, Item: Put?.Item }));
    expect(await auditAll(database.client)).toMatchObject({ exact: true, drift: 0n });
  });
});
