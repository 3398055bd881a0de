import { TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { ulid } from 'ulid';
import { Accounts } from '../../lambdas/access/core/accounts/accounts.ts';
import { DynamoAccountStore } from '../../lambdas/access/store/accounts/account-store.ts';
import { aroundSend, FAULTS, FailingProcess } from '../../lambdas/ledger/testing/failing-process.ts';
import { release, rollback } from '../../lambdas/marketplace/core/builds/releases.ts';
import type { Listing } from '../../lambdas/marketplace/core/listings/listing.ts';
import { Listings } from '../../lambdas/marketplace/core/listings/listings.ts';
import { createReleaseStore } from '../../lambdas/marketplace/store/builds/release-store.ts';
import {
  createInstallStore,
  createReviewStore,
} from '../../lambdas/marketplace/store/installs/action-store.ts';
import { DynamoListingStore } from '../../lambdas/marketplace/store/listings/listing-store.ts';
import { DynamoPurchaseStore } from '../../lambdas/marketplace/store/purchases/purchase-store.ts';
import { createOrder } from '../../lambdas/payments/core/orders.ts';
import type { PaymentProvider } from '../../lambdas/payments/core/ports.ts';
import { createOrderStore } from '../../lambdas/payments/store/create-orders.ts';
import { QUOTAS } from '../../lambdas/platform/core/api/quotas.ts';
import { systemUlid } from '../../lambdas/platform/system/system.ts';
import type { Subscription } from '../../lambdas/webhooks/core/subscription.ts';
import { DynamoSigningSecretStore } from '../../lambdas/webhooks/store/signing-secret-store.ts';
import { DynamoSubscriptionStore } from '../../lambdas/webhooks/store/subscription-store.ts';
import { createSealer } from '../../lambdas/webhooks/store/webhook-keys.ts';
import { startDatabase, type TestDatabase } from '../../tools/test-kit/engine.ts';
import { it } from '../../tools/test-kit/search.ts';

const NOW = 1_800_000_000;
const DAY = 86_400;
const MAX_SESSIONS = 4;

let database: TestDatabase;
let listings: DynamoListingStore;

beforeAll(async () => {
  database = await startDatabase();
  listings = new DynamoListingStore(database.client, database.tables.listings);
});
afterAll(() => database.stop());

let createdCount = 0;
function newListing(ownerId: string, overrides: Partial<Listing> = {}): Listing {
  createdCount += 1;
  return {
    id: `lst_${systemUlid()}`,
    kind: 'app',
    name: `Listing ${createdCount}`,
    slug: `listing-${createdCount}`,
    summary: 'A summary.',
    description: '',
    category: 'tools',
    tags: [],
    version: '1.0.0',
    price: null,
    plans: [],
    url: null,
    iconUrl: null,
    seller: null,
    contact: null,
    ownerId,
    installs: 0,
    releases: 1,
    ratings: { sum: 0, count: 0 },
    created: NOW,
    updated: NOW,
    revision: 1,
    ...overrides,
  };
}

const newAccount = () => `acc_${systemUlid()}`;
const newRelease = () => `rel_${systemUlid()}`;
const event = () => ({ id: `evt_${systemUlid()}`, type: 't', accountId: 'acc_owner', data: {} });
const times = <T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));
const tally = (results: readonly string[]) =>
  Object.fromEntries(
    [...new Set(results)].sort().map((each) => [each, results.filter((is) => is === each).length]),
  );

/** A thing of which an account may have a number, made and removed. */
interface Kind {
  readonly name: string;
  /** Makes one; its id, or undefined when there are as many as there may be. */
  make(accountId: string, on?: TestDatabase | FailingProcess['clients']): Promise<string | undefined>;
  remove(accountId: string, id: string, on?: FailingProcess['clients']): Promise<unknown>;
  count(accountId: string): Promise<number>;
}

const clientOf = (on: { readonly client: TestDatabase['client'] } | undefined) => (on ?? database).client;
const owned = new Map<string, Listing>();

const LISTINGS: Kind = {
  name: 'listings',
  async make(accountId, on) {
    const listing = newListing(accountId);
    owned.set(listing.id, listing);
    const store = new DynamoListingStore(clientOf(on), database.tables.listings);
    return (await store.create(listing, newRelease(), MAX_SESSIONS)) === 'done' ? listing.id : undefined;
  },
  async remove(_accountId, id, on) {
    const listing = owned.get(id);
    const store = new DynamoListingStore(clientOf(on), database.tables.listings);
    return listing === undefined ? undefined : store.remove(listing);
  },
  async count(accountId) {
    const ids = [...owned.values()].filter(({ ownerId }) => ownerId === accountId).map(({ id }) => id);
    return (await listings.readMany(ids)).length;
  },
};

const sealer = createSealer(async () => ({ current: 'k'.repeat(64) }));
const subscription = (accountId: string): Subscription => ({
  accountId,
  id: `wh_${systemUlid()}`,
  url: 'https://example.com/',
  events: ['payout.paid'],
  description: undefined,
  status: 'active',
  disabledReason: undefined,
  created: NOW,
  failingSinceMs: undefined,
  notice: undefined,
});

const WEBHOOKS: Kind = {
  name: 'webhooks',
  async make(accountId, on) {
    const createdCount = subscription(accountId);
    const store = new DynamoSigningSecretStore(clientOf(on), database.tables.webhooks, sealer);
    return (await store.create(createdCount, 'whsec_1', MAX_SESSIONS)) === 'created'
      ? createdCount.id
      : undefined;
  },
  remove: (accountId, id, on) =>
    new DynamoSubscriptionStore(clientOf(on), database.tables.webhooks).remove({ accountId, id }),
  async count(accountId) {
    const store = new DynamoSubscriptionStore(database.client, database.tables.webhooks);
    return (await store.list({ accountId, limit: 100 })).entries.length;
  },
};

describe.each([LISTINGS, WEBHOOKS])('the $name of an account', (kind) => {
  it('never exceed the quota under concurrent requests, and each removal allows one more', async () => {
    const accountId = newAccount();
    const ids = await times(MAX_SESSIONS + 12, () => kind.make(accountId));
    expect(ids.filter((id) => id !== undefined)).toHaveLength(MAX_SESSIONS);
    expect(await kind.count(accountId)).toBe(MAX_SESSIONS);
    const [first = ''] = ids.flatMap((id) => id ?? []);
    await times(5, () => kind.remove(accountId, first));
    expect((await times(4, () => kind.make(accountId))).filter((id) => id !== undefined)).toHaveLength(1);
    expect(await kind.make(newAccount())).toBeDefined();
  });

  it('never exceed the quota and never stay locked if a process fails between two requests', async () => {
    const faults = fc.array(fc.tuple(fc.integer({ min: 1, max: 8 }), fc.constantFrom(...FAULTS)), {
      maxLength: 3,
    });
    const steps = fc.array(fc.constantFrom('make', 'make', 'remove'), { minLength: 6, maxLength: 14 });
    await fc.assert(
      fc.asyncProperty(steps, faults, async (history, plan) => {
        const accountId = newAccount();
        const process = new FailingProcess(database, new Map(plan));
        const on = process.clients;
        const ids: string[] = [];
        for (const step of history) {
          const id = step === 'make' ? undefined : ids.shift();
          const done = step === 'make' ? kind.make(accountId, on) : kind.remove(accountId, id ?? '', on);
          const result = await done.catch(() => undefined);
          if (step === 'make' && typeof result === 'string') ids.push(result);
        }
        await process.landLate();
        const before = await kind.count(accountId);
        expect(before).toBeLessThanOrEqual(MAX_SESSIONS);
        const laterIds = (await times(MAX_SESSIONS + 2, () => kind.make(accountId))).filter(
          (id) => id !== undefined,
        );
        expect(laterIds).toHaveLength(MAX_SESSIONS - before);
      }),
      { numRuns: 12 },
    );
  });
});

describe('the activity of an account on listings', () => {
  const perDay = {
    installs: (accountId: string, listing: Listing, created: number) =>
      createInstallStore(database.client, database.tables).install(
        { listingId: listing.id, accountId, created },
        listing,
        event(),
        MAX_SESSIONS,
      ),
    reviews: (accountId: string, { id: listingId }: Listing, created: number) =>
      createReviewStore(database.client, database.tables).review(
        { id: `rev_${systemUlid()}`, listingId, accountId, rating: 5, text: '', created },
        event(),
        MAX_SESSIONS,
      ),
    purchases: (accountId: string, listing: Listing, created: number) =>
      new DynamoPurchaseStore(database, database.tables).purchase(
        {
          id: `pur_${systemUlid()}`,
          listingId: listing.id,
          buyerId: accountId,
          amount: 0,
          currency: 'USD',
          created,
        },
        { listing, unchanged: false },
        event(),
        MAX_SESSIONS,
      ),
  };

  it.each(Object.entries(perDay))(
    'stops at a daily limit, and repetitions do not count: %s',
    async (_name, act) => {
      const accountId = newAccount();
      const there = await times(MAX_SESSIONS + 6, async () => {
        const listing = newListing('acc_owner');
        expect(await listings.create(listing, newRelease(), 1_000)).toBe('done');
        return listing;
      });
      const [first] = there;
      if (first === undefined) throw new Error('no listing');
      expect(await act(accountId, first, NOW)).toBe('done');
      expect(await times(MAX_SESSIONS, () => act(accountId, first, NOW))).toEqual(
        Array(MAX_SESSIONS).fill('repeated'),
      );
      const rest = there.slice(1);
      const results = await Promise.all(rest.map((listing) => act(accountId, listing, NOW)));
      expect(tally(results)).toEqual({ done: MAX_SESSIONS - 1, full: rest.length - MAX_SESSIONS + 1 });
      const rejection = rest.filter((_listing, index) => results[index] === 'full');
      expect(await act(accountId, first, NOW)).toBe('repeated');
      const tomorrow = await Promise.all(rejection.map((listing) => act(accountId, listing, NOW + DAY)));
      expect(tally(tomorrow)).toEqual({ done: MAX_SESSIONS, full: rejection.length - MAX_SESSIONS });
    },
  );

  it('includes releases up to the limit of the listing, also under concurrent requests', async () => {
    const accountId = newAccount();
    const maxReleases = QUOTAS.releases_per_listing;
    const listing = newListing(accountId, { releases: maxReleases - 2 });
    await listings.create(listing, newRelease(), 1);
    const system = { clock: () => NOW * 1000, ulid: systemUlid };
    const store = createReleaseStore(database.client, database.tables, () => NOW * 1000);
    const builds = { find: async () => undefined };
    const dependencies = { store, builds, listings: new Listings({ store: listings, ...system }), ...system };
    const request = { kind: 'app' as const, id: listing.id, accountId };
    let version = 0;
    const next = () => {
      version += 1;
      return release(dependencies, request, { version: `2.0.${version}`, notes: '' }).then(
        () => 'done',
        (failure) => String(failure.code),
      );
    };
    const results: string[] = [];
    while (!results.includes('release_quota')) results.push(...(await times(4, next)));
    expect(results.filter((result) => result === 'done')).toHaveLength(2);
    expect(new Set(results)).toEqual(new Set(['done', 'conflict', 'release_quota']));
    expect(await listings.read(listing.id)).toMatchObject({ releases: maxReleases });
    await rollback(dependencies, request, '1.0.0');
    expect(await listings.read(listing.id)).toMatchObject({ releases: maxReleases, version: '1.0.0' });
  });
});

describe('the orders of an account', () => {
  const unpaid = QUOTAS.unpaid_orders_per_account;
  const today = QUOTAS.orders_per_account_per_day;
  let opened: string[] = [];
  const provider: Pick<PaymentProvider, 'openCheckout'> = {
    openCheckout: async ({ orderId }) => {
      opened.push(orderId);
      return { url: `https://pay.example.com/${orderId}` };
    },
  };
  const storeOf = (clients: FailingProcess['clients'] = database) =>
    createOrderStore({ clients, environment: database.environment });
  // An order's id holds its time, as the service's own do.
  const orderAt = (accountId: string, nowMs: number, from = provider) =>
    createOrder(
      { store: storeOf(), provider: from, clock: () => nowMs, ulid: () => ulid(nowMs) },
      accountId,
      1_000_000_000n,
    );
  const outcome = (order: Promise<{ id: string }>) =>
    order.then(
      ({ id }) => id,
      (failure) => `${failure.code} ${failure.retryAfterSeconds}`,
    );
  const openAccount = () =>
    new Accounts({
      store: new DynamoAccountStore(database.client, database.tables),
      clock: () => NOW * 1000,
      ulid: systemUlid,
    }).open();
  async function updateOrder(accountId: string, orderId: string, how: 'paid' | 'ended') {
    const store = storeOf();
    const before = await store.find({ accountId, orderId });
    if (before === undefined) throw new Error('no order');
    const after = {
      ...before,
      ...(how === 'paid' ? { paid: before.amount } : { checkoutEnd: 'expired' as const }),
      version: before.version + 1,
    };
    const entries =
      how === 'paid'
        ? [
            {
              kind: 'top_up' as const,
              id: orderId,
              amount: before.amount,
              cash: before.amount,
              source: 'order',
            },
          ]
        : [];
    expect(await store.advance(before, after, entries)).toBe('done');
  }
  const isOrder = (result: string) => result.startsWith('ord_');

  it('stay within the limit of unpaid orders, open no checkout beyond it, and each ended order allows one more', async () => {
    const accountId = await openAccount();
    opened = [];
    const results = await times(unpaid + 10, () => outcome(orderAt(accountId, NOW * 1000)));
    const orders = results.filter(isOrder);
    expect(orders).toHaveLength(unpaid);
    expect(opened).toHaveLength(unpaid);
    for (const rejection of results.filter((result) => !isOrder(result)))
      expect(rejection).toMatch(/^order_quota \d+$/);
    await updateOrder(accountId, orders[0] ?? '', 'paid');
    await updateOrder(accountId, orders[1] ?? '', 'ended');
    const laterIds = await times(5, () => outcome(orderAt(accountId, NOW * 1000)));
    expect(laterIds.filter(isOrder)).toHaveLength(2);
  });

  it('free their slots when their checkouts have expired, even without a report', async () => {
    const accountId = await openAccount();
    await times(unpaid, () => orderAt(accountId, NOW * 1000));
    const rejection = await outcome(orderAt(accountId, NOW * 1000));
    const seconds = Number(rejection.split(' ')[1]);
    expect(seconds).toBeGreaterThanOrEqual(DAY);
    expect(await outcome(orderAt(accountId, (NOW + seconds - 1) * 1000))).toBe('order_quota 1');
    expect(isOrder(await outcome(orderAt(accountId, (NOW + seconds) * 1000)))).toBe(true);
  });

  it('make room when one checkout of as many as there may be has run out', async () => {
    const accountId = await openAccount();
    await orderAt(accountId, NOW * 1000);
    await times(unpaid - 1, () => orderAt(accountId, (NOW + DAY / 2) * 1000));
    const rejection = await outcome(orderAt(accountId, (NOW + DAY / 2) * 1000));
    const firstEnds = NOW + DAY / 2 + Number(rejection.split(' ')[1]);
    expect(isOrder(await outcome(orderAt(accountId, firstEnds * 1000)))).toBe(true);
    expect(await outcome(orderAt(accountId, firstEnds * 1000))).toBe(`order_quota ${DAY / 2}`);
  });

  it('add one write each to the count while none of their checkouts has expired', async () => {
    const accountId = await openAccount();
    const writes: unknown[] = [];
    const counting = aroundSend(database.client, (command, send) => {
      if (command instanceof TransactWriteItemsCommand) writes.push(command.input.TransactItems);
      return send(command);
    });
    const store = storeOf({ ...database, client: counting });
    const reserve = (nowSeconds: number) =>
      store.reserve({ accountId, orderId: `ord_${ulid(nowSeconds * 1000)}` }, { unpaid, today }, nowSeconds);
    for (let createdCount = 1; createdCount <= 3; createdCount += 1) {
      expect(await reserve(NOW)).toBe('reserved');
      expect(writes).toHaveLength(createdCount);
    }
    // Afterwards they are removed, which is a write of its own.
    expect(await reserve(NOW + 3 * DAY)).toBe('reserved');
    expect(writes).toHaveLength(5);
  });

  it('make room when the provider opens no checkout', async () => {
    const accountId = await openAccount();
    const down = { ...provider, openCheckout: () => Promise.reject(new Error('down')) };
    for (let index = 0; index < unpaid + 2; index += 1)
      await expect(orderAt(accountId, NOW * 1000, down)).rejects.toThrow('down');
    expect(isOrder(await outcome(orderAt(accountId, NOW * 1000)))).toBe(true);
  });

  it('stay within a daily limit', async () => {
    const accountId = await openAccount();
    for (let done = 0; done < today; done += unpaid) {
      const orders = await times(Math.min(unpaid, today - done), () => orderAt(accountId, NOW * 1000));
      for (const { id } of orders) await updateOrder(accountId, id, 'ended');
    }
    const untilMidnight = DAY - (NOW % DAY);
    const rejection = await times(3, () => outcome(orderAt(accountId, NOW * 1000)));
    expect(rejection).toEqual(Array(3).fill(`order_quota ${untilMidnight}`));
    const results = await times(3, () => outcome(orderAt(accountId, (NOW + untilMidnight) * 1000)));
    expect(results.every(isOrder)).toBe(true);
  });
});
