import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { beforeAll, describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../tools/test-kit/search.ts';
import { startTroubledDatabase } from '../../../../tools/test-kit/troubled-database.ts';
import { Accounts } from '../../../access/core/accounts/accounts.ts';
import { DynamoAccountStore } from '../../../access/store/accounts/account-store.ts';
import { NO_EARNINGS } from '../../../ledger/core/audit/no-earnings.ts';
import { Credits } from '../../../ledger/core/credits.ts';
import { createAuditStore } from '../../../ledger/store/audit-reader.ts';
import { DynamoCreditStore } from '../../../ledger/store/credit-store.ts';
import { createWalletStore } from '../../../ledger/store/wallet/store.ts';
import { VARIABLES } from '../../../platform/contract/environment.ts';
import { ServiceError } from '../../../platform/core/errors.ts';
import { systemUlid } from '../../../platform/system/system.ts';
import { fileDatabase } from '../../../platform/testing/file-database.ts';
import { listingChange, newListing } from '../../core/listings/fields.ts';
import type { ListingPlan, Price } from '../../core/listings/listing.ts';
import { Listings } from '../../core/listings/listings.ts';
import { type PurchaseCondition, purchase } from '../../core/purchases/purchases.ts';
import { entitlementsBody } from '../../core/subscriptions/entitlement.ts';
import { cancelSubscription, subscribe } from '../../core/subscriptions/subscriptions.ts';
import { createEarningsStore } from '../create-earnings.ts';
import { createSubscriptions } from '../create-subscriptions.ts';
import { readHoldings } from '../entitlements/holdings.ts';
import { encodePlan, listingKey } from '../listings/listing-item.ts';
import { DynamoListingStore } from '../listings/listing-store.ts';
import { DynamoPurchaseStore } from './purchase-store.ts';

const DOLLAR = 1_000_000_000n;
const clock = () => 1_800_000_000_000;
const system = { clock, ulid: systemUlid };
const terms = { feeBasisPoints: 250, maturitySeconds: 7 * 86_400 };

const database = fileDatabase();
let listings: Listings;
let purchases: Parameters<typeof purchase>[0];
let accounts: Accounts;
let credits: Credits;
let owner: string;

beforeAll(async () => {
  const { client, tables } = database;
  listings = new Listings({ store: new DynamoListingStore(client, tables.listings), ...system });
  purchases = { store: new DynamoPurchaseStore(database, tables), listings, ...system, terms };
  accounts = new Accounts({ store: new DynamoAccountStore(client, tables), ...system });
  credits = new Credits({ store: new DynamoCreditStore(client, tables), ...system });
  owner = await accounts.open();
});

const PLAN: ListingPlan = {
  id: 'pro',
  name: 'Pro',
  interval: 'month',
  amount: 499,
  currency: 'USD',
  trial_days: 0,
};

const usd = (amount: number): Price => ({ amount, currency: 'USD' });
const purchaseState = (price: PurchaseCondition['price'], revision?: number): PurchaseCondition => ({
  price,
  state: revision === undefined ? undefined : (is) => is === revision,
});

let createdCount = 0;
async function listed(price: Price | null, plans: readonly object[] = []) {
  createdCount += 1;
  const fields = { name: `Thing ${createdCount}`, summary: 'One.', category: 'tools', price, plans };
  const body = newListing.parse(fields);
  const { id } = await listings.create('app', owner, body);
  return { kind: 'app' as const, id };
}

const setOffer = (listing: { kind: 'app'; id: string }, offer: object) =>
  listings.change({ ...listing, accountId: owner }, listingChange.parse(offer), () => true);

const setPrice = (listing: { kind: 'app'; id: string }, price: Price | null) => setOffer(listing, { price });

async function buyer(credit = 1000n * DOLLAR): Promise<string> {
  const accountId = await accounts.open();
  await credits.topUp({ accountId, amount: credit, source: 'grant' });
  return accountId;
}

/** The store answers with the listing, and its owner is faster with a change than the purchase that follows. */
function purchasesAfter(change: () => Promise<unknown>): typeof purchases {
  const store = new DynamoListingStore(database.client, database.tables.listings);
  let isChanged = false;
  const read = async (id: string) => {
    const found = await store.read(id);
    if (!isChanged) {
      isChanged = true;
      await change();
    }
    return found;
  };
  const slow = Object.assign(Object.create(store) as DynamoListingStore, { read });
  return { ...purchases, listings: new Listings({ store: slow, ...system }) };
}

const earnings = () => createEarningsStore({ clients: database, environment: database.environment });

const balance = async (accountId: string) =>
  (await createWalletStore(database, database.tables.wallets).read(accountId))?.balance;

/** Returns the result of a purchase: the amount that was paid, or the code of its error. */
async function outcome(
  listing: { kind: 'app'; id: string },
  accountId: string,
  what: PurchaseCondition,
): Promise<number | string> {
  try {
    return (await purchase(purchases, { ...listing, accountId }, what)).entry.amount;
  } catch (failure) {
    if (failure instanceof ServiceError) return failure.code;
    throw failure;
  }
}

describe('a purchase', () => {
  it('needs a confirmation while its buyer subscribes to the listing', async () => {
    const listing = await listed(usd(100), [PLAN]);
    const accountId = await buyer();
    const plans = createSubscriptions({
      ...system,
      clients: database,
      environment: { ...database.environment, [VARIABLES.marketFeeBasisPoints]: '0' },
    });
    const agreement = { planId: PLAN.id, amount: PLAN.amount, state: undefined };
    const { entry } = await subscribe(plans, { ...listing, accountId }, agreement);
    const paid = await balance(accountId);
    expect(await outcome(listing, accountId, purchaseState({ amount: 100 }))).toBe('already_subscribed');
    expect(await balance(accountId)).toBe(paid);
    const confirmed = { amount: 100, while_subscribed: true };
    expect(await outcome(listing, accountId, purchaseState(confirmed))).toBe(100);
    expect(await outcome(listing, accountId, purchaseState({ amount: 100 }))).toBe(100);
    await cancelSubscription(plans, { accountId, id: entry.id });
    const other = await buyer();
    const { entry: ended } = await subscribe(plans, { ...listing, accountId: other }, agreement);
    await cancelSubscription(plans, { accountId: other, id: ended.id });
    expect(await outcome(listing, other, purchaseState({ amount: 100 }))).toBe(100);
  });

  it('takes nothing when the price was raised after the buyer saw it', async () => {
    const listing = await listed(usd(1));
    const accountId = await buyer();
    await setPrice(listing, usd(4000));
    expect(await outcome(listing, accountId, purchaseState({ amount: 1 }))).toBe('price_changed');
    expect(await outcome(listing, accountId, purchaseState({}, 1))).toBe('price_changed');
    expect(await outcome(listing, accountId, purchaseState({ amount: 4000 }, 1))).toBe('price_changed');
    expect(await outcome(listing, accountId, purchaseState({ amount: 4000, currency: 'EUR' }))).toBe(
      'price_changed',
    );
    expect(await balance(accountId)).toBe(1000n * DOLLAR);
    expect(await outcome(listing, accountId, purchaseState({ amount: 4000 }, 2))).toBe(4000);
    expect(await balance(accountId)).toBe(960n * DOLLAR);
  });

  it('names a price or a state, for what is free too', async () => {
    const [free, nothing] = [await listed(null), await listed(usd(0))];
    const accountId = await buyer();
    for (const listing of [free, nothing]) {
      expect(await outcome(listing, accountId, purchaseState({}))).toBe('missing_field');
      expect(await outcome(listing, accountId, purchaseState({ amount: 1 }))).toBe('price_changed');
      expect(await outcome(listing, accountId, purchaseState({ amount: 0 }))).toBe(0);
    }
    expect(await balance(accountId)).toBe(1000n * DOLLAR);
  });

  it('returns the first one, whatever the listing costs by then', async () => {
    const listing = await listed(usd(100));
    const accountId = await buyer();
    expect(await outcome(listing, accountId, purchaseState({ amount: 100 }))).toBe(100);
    await setPrice(listing, usd(200));
    expect(await outcome(listing, accountId, purchaseState({ amount: 100 }))).toBe(100);
    expect(await outcome(listing, accountId, purchaseState({ amount: 200 }))).toBe(100);
    expect(await balance(accountId)).toBe(999n * DOLLAR);
  });

  it('succeeds only at the price that its buyer specified, while the owner keeps changing it', async () => {
    const prices = [null, usd(1), usd(100)];
    const named = fc.constantFrom(0, 1, 100);
    const changes = fc.array(fc.constantFrom(...prices), { minLength: 3, maxLength: 8 });
    let bought = 0;
    let rejectionCount = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(named, { minLength: 2, maxLength: 6 }), changes, async (name, to) => {
        const listing = await listed(usd(1));
        const buyers = await Promise.all(name.map(async (amount) => ({ amount, accountId: await buyer() })));
        const changing = (async () => {
          for (const price of to) await setPrice(listing, price);
        })();
        const results = await Promise.all(
          buyers.map(({ amount, accountId }) => outcome(listing, accountId, purchaseState({ amount }))),
        );
        await changing;
        for (const [index, { amount, accountId }] of buyers.entries()) {
          const result = results[index];
          const charged = 1000n * DOLLAR - ((await balance(accountId)) ?? 0n);
          if (result === amount) bought += 1;
          else {
            expect(result).toBe('price_changed');
            rejectionCount += 1;
          }
          expect(charged).toBe(result === amount ? (BigInt(amount) * DOLLAR) / 100n : 0n);
        }
      }),
      { numRuns: 60 },
    );
    expect(bought).toBeGreaterThan(3);
    expect(rejectionCount).toBeGreaterThan(3);
  });
});

describe('a listing with plans and no price', () => {
  /** Returns whether the account is entitled by a purchase. */
  async function isEntitled(accountId: string, { id }: { id: string }): Promise<boolean> {
    const holdings = await readHoldings(database, database.tables, accountId, [id]);
    return entitlementsBody(holdings, clock() / 1000).data.some(
      ({ source, active }) => source === 'purchase' && active,
    );
  }

  it.each<[string, PurchaseCondition]>([
    ['0', purchaseState({ amount: 0 })],
    ['0 USD', purchaseState({ amount: 0, currency: 'USD' })],
    ['the amount of a plan', purchaseState({ amount: PLAN.amount })],
    ['the state of the listing', purchaseState({}, 1)],
    ['another state', purchaseState({ amount: 0 }, 7)],
  ])('rejects a purchase for %s, of its owner too', async (_case, condition) => {
    const listing = await listed(null, [PLAN]);
    const accountId = await buyer();
    for (const id of [accountId, owner, accountId]) {
      expect(await outcome(listing, id, condition)).toBe('subscription_only');
      expect(await isEntitled(id, listing)).toBe(false);
    }
    expect(await balance(accountId)).toBe(1000n * DOLLAR);
  });

  it('sells a purchase that entitles for ever while it has a price', async () => {
    const listing = await listed(null, [PLAN]);
    const accountId = await buyer();
    await setPrice(listing, usd(100));
    expect(await outcome(listing, accountId, purchaseState({ amount: 0 }))).toBe('price_changed');
    expect(await outcome(listing, accountId, purchaseState({ amount: 100 }))).toBe(100);
    await setPrice(listing, null);
    expect(await outcome(listing, accountId, purchaseState({ amount: 0 }))).toBe(100);
    expect(await isEntitled(accountId, listing)).toBe(true);
    expect(await outcome(listing, await buyer(), purchaseState({ amount: 0 }))).toBe('subscription_only');
  });

  it('entitles nobody who has purchased it for 0 before, until it has a price', async () => {
    const listing = await listed(null);
    const accountId = await buyer();
    expect(await outcome(listing, accountId, purchaseState({ amount: 0 }))).toBe(0);
    expect(await isEntitled(accountId, listing)).toBe(true);
    await setOffer(listing, { plans: [PLAN] });
    expect(await isEntitled(accountId, listing)).toBe(false);
    expect(await outcome(listing, accountId, purchaseState({ amount: 0 }))).toBe('subscription_only');
    await setPrice(listing, usd(100));
    expect(await isEntitled(accountId, listing)).toBe(true);
    expect(await outcome(listing, accountId, purchaseState({ amount: 100 }))).toBe(0);
    await listings.remove({ ...listing, accountId: owner }, () => true);
    expect(await isEntitled(accountId, listing)).toBe(false);
  });

  it.each([
    ['free', null],
    ['for sale at 0', usd(0)],
  ])('rejects a purchase if it was %s when the buyer read it', async (_case, from) => {
    const listing = await listed(from);
    const accountId = await buyer();
    const late = purchasesAfter(() => setOffer(listing, { plans: [PLAN], price: null }));
    const request = { ...listing, accountId };
    await expect(purchase(late, request, purchaseState({ amount: 0 }))).rejects.toMatchObject({
      code: 'subscription_only',
      status: 409,
    });
    expect(await purchases.store.findPurchase(listing.id, accountId)).toBeUndefined();
  });

  it.each([null, usd(0)])(
    'rejects the write of a purchase that was planned before it had plans: %j',
    async (price) => {
      const listing = await listed(price);
      const accountId = await buyer();
      const read = await listings.get('app', listing.id);
      // The stored item as no request can make it: the condition does not depend on the rules for owners.
      await database.client.send(
        new UpdateItemCommand({
          TableName: database.tables.listings,
          Key: listingKey(listing.id),
          UpdateExpression: 'SET plans = :plans',
          ExpressionAttributeValues: { ':plans': { M: { pro: encodePlan(PLAN, 0) } } },
        }),
      );
      const created = clock() / 1000;
      const entry = {
        id: `pur_${systemUlid()}`,
        listingId: listing.id,
        buyerId: accountId,
        amount: 0,
        currency: 'USD',
        created,
      };
      const event = {
        id: `evt_${systemUlid()}`,
        type: 'purchase.completed',
        accountId: owner,
        data: {},
      } as const;
      const payment = { listing: read, unchanged: false };
      expect(await purchases.store.purchase(entry, payment, event, 10)).toBe('changed');
      expect(await outcome(listing, accountId, purchaseState({ amount: 0 }))).toBe('subscription_only');
    },
  );

  it.each<[string, (price: object) => Promise<unknown>]>([
    ['created', (price) => listed(price as Price, [PLAN])],
    ['given plans', async (price) => setOffer(await listed(price as Price), { plans: [PLAN] })],
    ['given a price', async (price) => setOffer(await listed(null, [PLAN]), { price })],
  ])('cannot be %s with a price of 0, which would give away what the plans sell', async (_case, make) => {
    await expect(make(usd(0))).rejects.toMatchObject({
      code: 'invalid_value',
      status: 400,
      param: 'price',
    });
    await expect(make(usd(1))).resolves.toBeDefined();
  });
});

describe('the money', () => {
  it.each([
    ['was raised', usd(100), usd(5000)],
    ['was free', null, usd(5000)],
    ['was for nothing', usd(0), usd(1)],
    ['is free now', usd(100), null],
  ])('stays in place if the price changes between the read and the write: it %s', async (_case, from, to) => {
    const listing = await listed(from);
    const accountId = await buyer();
    const late = purchasesAfter(() => setPrice(listing, to));
    const amount = from?.amount ?? 0;
    await expect(purchase(late, { ...listing, accountId }, purchaseState({ amount }))).rejects.toMatchObject({
      code: 'price_changed',
      headers: { etag: '"2"' },
    });
    expect(await balance(accountId)).toBe(1000n * DOLLAR);
    expect(await purchases.store.findPurchase(listing.id, accountId)).toBeUndefined();
  });

  it('moves only in dollars: a purchase in another currency is rejected, unless the price is 0', async () => {
    const [priced, free] = [
      await listed({ amount: 100, currency: 'EUR' }),
      await listed({ amount: 0, currency: 'EUR' }),
    ];
    const accountId = await buyer();
    expect(await outcome(priced, accountId, purchaseState({ amount: 100 }))).toBe('invalid_value');
    expect(await outcome(priced, accountId, purchaseState({ amount: 100, currency: 'EUR' }))).toBe(
      'invalid_value',
    );
    expect(await outcome(free, accountId, purchaseState({ amount: 0 }))).toBe(0);
    expect(await balance(accountId)).toBe(1000n * DOLLAR);
  });

  it('stays in place if an owner buys its own listing', async () => {
    const ownerId = await buyer(3n * DOLLAR);
    const body = newListing.parse({ name: 'Mine', summary: 'One.', category: 'tools', price: usd(100) });
    const { id } = await listings.create('app', ownerId, body);
    expect(await outcome({ kind: 'app', id }, ownerId, purchaseState({ amount: 100 }))).toBe(100);
    expect(await balance(ownerId)).toBe(3n * DOLLAR);
  });

  it('moves completely, down to the last cent, or not at all', async () => {
    const listing = await listed(usd(100));
    const [exact, short] = [await buyer(DOLLAR), await buyer(DOLLAR - 1n)];
    expect(await outcome(listing, short, purchaseState({ amount: 100 }))).toBe('insufficient_credit');
    expect(await balance(short)).toBe(DOLLAR - 1n);
    const before = await earnings().balance(owner);
    expect(await outcome(listing, exact, purchaseState({ amount: 100 }))).toBe(100);
    expect(await balance(exact)).toBe(0n);
    // Of 2.5 cents.
    const net = DOLLAR - 2n * (DOLLAR / 100n);
    expect(await earnings().balance(owner)).toEqual({
      ...before,
      pending: before.pending + net,
      received: before.received + net,
      fees: before.fees + DOLLAR - net,
    });
    expect(await balance(owner)).toBe(0n);
    const ledger = createAuditStore(database.client, database.tables, NO_EARNINGS);
    const entries = async (accountId: string) => {
      const stored: unknown[] = [];
      for await (const entry of ledger.entries(accountId)) stored.push(entry);
      return stored;
    };
    expect(await entries(exact)).toContainEqual(
      expect.objectContaining({ kind: 'purchase', amount: DOLLAR, cash: 0n }),
    );
    expect(await entries(owner)).toEqual([]);
  });

  it('stays in place and the buyer may retry if the wallet changes before each write', async () => {
    const { client, tables, endpoint } = database;
    const listing = await listed(usd(100));
    const accountId = await buyer();
    const setBalance = (amount: bigint) =>
      client.send(
        new UpdateItemCommand({
          TableName: tables.wallets,
          Key: { wallet_id: { S: accountId } },
          UpdateExpression: 'SET balance = :amount',
          ExpressionAttributeValues: { ':amount': { N: String(amount) } },
        }),
      );
    let writes = 0;
    // Each reading finds enough, and each write finds too little.
    const moving = await startTroubledDatabase(endpoint, async ({ operation, body }) => {
      if (operation === 'GetItem' && body.TableName === tables.wallets) await setBalance(1000n * DOLLAR);
      if (operation === 'TransactWriteItems') {
        writes += 1;
        await setBalance(0n);
      }
      return undefined;
    });
    try {
      const contended = { ...purchases, store: new DynamoPurchaseStore(moving, tables) };
      await expect(
        purchase(contended, { ...listing, accountId }, purchaseState({ amount: 100 })),
      ).rejects.toMatchObject({
        code: 'overloaded',
        status: 503,
      });
    } finally {
      await moving.stop();
    }
    // Its number of tries: a buyer waits for no more of them.
    expect(writes).toBe(8);
    await setBalance(1000n * DOLLAR);
    expect(await outcome(listing, accountId, purchaseState({ amount: 100 }))).toBe(100);
    expect(await balance(accountId)).toBe(999n * DOLLAR);
  });
});
