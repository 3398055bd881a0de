import { PutItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeAll, describe, expect } from '@jest/globals';
import { it } from '../../../../tools/test-kit/search.ts';
import { offsets, rounds } from '../../../../tools/test-kit/thorough.ts';
import { aroundSend, FAULTS, FailingProcess } from '../../../ledger/testing/failing-process.ts';
import { QUOTAS } from '../../../platform/core/api/quotas.ts';
import { NANO_PER_CENT, toCents } from '../../../platform/core/money.ts';
import { fileDatabase } from '../../../platform/testing/file-database.ts';
import { entitlementsBody } from '../../core/subscriptions/entitlement.ts';
import { type EntitlementClaims, issueEntitlementToken } from '../../core/subscriptions/entitlement-token.ts';
import { previewPlan } from '../../core/subscriptions/plan-change.ts';
import {
  cancelSubscription,
  findSubscription,
  listSubscriptions,
  type SubscriptionUpdate,
  updateSubscription,
} from '../../core/subscriptions/subscriptions.ts';
import { cents, codeOf, type ListedThing, MarketWorld } from '../../testing/market-world.ts';
import { readHoldings } from '../entitlements/holdings.ts';
import { createPseudonyms, customerOf } from '../entitlements/pseudonyms.ts';
import { decodeEvent } from '../listings/listing-item.ts';

const database = fileDatabase();
let world: MarketWorld;
beforeAll(() => {
  world = new MarketWorld(database);
});

type Clients = FailingProcess['clients'];

const BASIC = { id: 'basic', name: 'Basic', interval: 'month', amount: 300, currency: 'USD' };
const PRO = { ...BASIC, id: 'pro', name: 'Pro', amount: 900 };
/** A cent of it is worth less than a minute. */
const LARGE = { ...BASIC, id: 'large', amount: 100_000 };
const LARGER = { ...LARGE, id: 'larger', amount: 200_000 };
const TRIAL = { ...BASIC, id: 'trial', name: 'Trial', trial_days: 14 };

async function market({ paid = 5_000 } = {}) {
  const [seller, buyer] = await Promise.all([world.open(), world.open()]);
  const listing = await world.offer(seller, [BASIC, PRO, TRIAL, LARGE, LARGER]);
  const order = paid === 0 ? '' : await world.pay(buyer, paid);
  opened.push({ buyer, listing });
  return { seller, buyer, listing, order };
}

/** Buyers whose subscriptions must not be due in another test. */
const opened: { readonly buyer: string; readonly listing: ListedThing }[] = [];

async function endAll(): Promise<void> {
  const subscriptions = world.subscriptions();
  for (const { buyer, listing } of opened.splice(0)) {
    const { subscription } = await subscriptions.store.latest(buyer, listing.id);
    if (subscription?.endedAt === undefined && subscription !== undefined)
      await cancelSubscription(subscriptions, { accountId: buyer, id: subscription.id });
  }
}

afterEach(endAll);

async function subscribed(plan = BASIC, funds: Parameters<typeof market>[0] = {}) {
  const parties = await market(funds);
  const { id } = await world.subscribe(parties.buyer, parties.listing, plan);
  return { ...parties, id };
}

type Subscriber = Awaited<ReturnType<typeof subscribed>>;

const current = ({ buyer, id }: Pick<Subscriber, 'buyer' | 'id'>) =>
  findSubscription(world.subscriptions().store, { accountId: buyer, id });

const update = ({ buyer, id }: Subscriber, what: SubscriptionUpdate, clients?: Clients) =>
  updateSubscription(world.subscriptions(clients), { accountId: buyer, id }, what);

const previewOf = async (parties: Subscriber, planId: string) => {
  const preview = await previewPlan(world.subscriptions(), await current(parties), planId, world.nowSeconds);
  return { due: toCents(preview?.change.charge ?? 0n), at: preview?.prorationDate ?? 0 };
};

const cancel = ({ buyer, id }: Subscriber, clients?: Clients) =>
  cancelSubscription(world.subscriptions(clients), { accountId: buyer, id });

async function eventsOf({ id }: ListedThing) {
  const { Items: items = [] } = await database.client.send(
    new QueryCommand({
      TableName: database.tables.listings,
      KeyConditionExpression: 'listing_id = :listing AND begins_with(#item, :event)',
      ExpressionAttributeNames: { '#item': 'item' },
      ExpressionAttributeValues: { ':listing': { S: id }, ':event': { S: 'event#' } },
    }),
  );
  return items.map(decodeEvent).map(({ type, data }) => ({ type, status: data.status, reason: data.reason }));
}

/** Everything that a subscription changes, if the accounts are exact. */
async function stateOf({ seller, buyer, listing }: Pick<Subscriber, 'seller' | 'buyer' | 'listing'>) {
  expect(await world.audit(seller, buyer)).toEqual([]);
  const { store } = world.subscriptions();
  const { subscription, trialUsed } = await store.latest(buyer, listing.id);
  const { entries } = await world.earnings.list(seller, 100);
  return {
    balance: await world.earnings.balance(seller),
    buyer: await world.wallet(buyer),
    status: subscription?.status,
    charges: subscription?.charges,
    plan: subscription?.plan.id,
    elapsed: subscription?.period.elapsed,
    trialUsed,
    lines: entries.map(({ transaction: { type, amount } }) => ({ type, amount })),
    events: (await eventsOf(listing)).map((each) => JSON.stringify(each)).sort(),
  };
}

const holdings = async (accountId: string, listing: ListedThing) => {
  const found = await readHoldings(database, database.tables, accountId, [listing.id]);
  return entitlementsBody(found, world.nowSeconds).data;
};

const days = (count: number) => {
  world.day += count;
};

/** Every operation on a subscription, after what leads to it. */
const OPERATIONS: Readonly<
  Record<
    string,
    {
      readonly prepare: () => Promise<Subscriber>;
      readonly run: (parties: Subscriber, clients?: Clients) => Promise<unknown>;
    }
  >
> = {
  'to subscribe': {
    prepare: async () => ({ ...(await market()), id: '' }),
    run: ({ buyer, listing }, clients) => world.subscribe(buyer, listing, BASIC, clients),
  },
  'to start a trial': {
    prepare: async () => ({ ...(await market()), id: '' }),
    run: ({ buyer, listing }, clients) => world.subscribe(buyer, listing, TRIAL, clients),
  },
  'to change the plan now': {
    prepare: subscribed,
    run: (parties, clients) => update(parties, { planId: 'pro', amount: 900 }, clients),
  },
  'to change the plan later': {
    prepare: () => subscribed(PRO),
    run: (parties, clients) => update(parties, { planId: 'basic', amount: 300 }, clients),
  },
  'to cancel with the period': {
    prepare: subscribed,
    run: (parties, clients) => update(parties, { cancelAtPeriodEnd: true }, clients),
  },
  'to cancel at once': { prepare: subscribed, run: cancel },
  'to return the whole charge': {
    prepare: subscribed,
    run: ({ seller, id }, clients) => world.refund(seller, { charge: `${id}#1`, key: 'k' }, clients),
  },
  'to return a part of the charge': {
    prepare: subscribed,
    run: ({ seller, id }, clients) =>
      world.refund(seller, { charge: `${id}#1`, cents: 100, key: 'k' }, clients),
  },
  'to renew': { prepare: () => due(subscribed), run: (_parties, clients) => world.processDue(clients) },
  'to renew without credit': {
    prepare: () => due(() => subscribed(BASIC, { paid: 350 })),
    run: (_parties, clients) => world.processDue(clients),
  },
  'to end with the period': {
    prepare: () =>
      due(async () => {
        const parties = await subscribed();
        await update(parties, { cancelAtPeriodEnd: true });
        return parties;
      }),
    run: (_parties, clients) => world.processDue(clients),
  },
};

/** The sales of the first period have matured, and nothing but the subscription is due. */
async function due(prepare: () => Promise<Subscriber>): Promise<Subscriber> {
  const parties = await prepare();
  days(10);
  await world.processDue();
  days(22);
  return parties;
}

describe('an entitlement token', () => {
  /** Names an account as every process names it. */
  const pseudonym = (accountId: string, listingId: string) =>
    createPseudonyms(database.client, database.tables.market)(accountId, listingId);
  const issue = (accountId: string, { kind, id }: ListedThing) => {
    const claims: EntitlementClaims[] = [];
    const dependencies = {
      clock: () => world.nowSeconds * 1000,
      listings: world.subscriptions().listings,
      holdings: (account: string, listingId: string) =>
        readHoldings(database, database.tables, account, [listingId]),
      pseudonym,
      sign: async (each: EntitlementClaims) => String(claims.push(each)),
    };
    return issueEntitlementToken(dependencies, { kind, id, accountId }).then(() => claims[0]);
  };

  it('reaches an account while its entitlement is active, for five minutes', async () => {
    const parties = await subscribed();
    const { buyer, listing } = parties;
    expect(await issue(buyer, listing)).toEqual({
      audience: listing.id,
      subject: await pseudonym(buyer, listing.id),
      source: 'subscription',
      plan: 'basic',
      issued: world.nowSeconds,
      expires: world.nowSeconds + 300,
    });
    expect(await codeOf(issue(await world.open(), listing))).toBe('not_customer');
    expect(await codeOf(issue(parties.seller, { ...listing, id: `lst_${'0'.repeat(26)}` }))).toBe(
      'not_found',
    );
    await world.refund(parties.seller, { charge: `${parties.id}#1` });
    expect(await codeOf(issue(buyer, listing))).toBe('not_customer');
  });

  it('tells an account that owes to pay, and not to buy again', async () => {
    const { buyer, listing, order } = await subscribed();
    await world.reverse(buyer, order, 'dp_1', 5_000);
    await expect(issue(buyer, listing)).rejects.toThrow('The account owes: add credit');
    await expect(issue(await world.open(), listing)).rejects.toThrow('buy the listing');
  });

  it('names an account always the same for one listing, and otherwise for each', async () => {
    const [one, other] = [await world.open(), await world.open()];
    const names = await Promise.all(Array.from({ length: 5 }, () => pseudonym(one, 'lst_1')));
    expect(new Set(names).size).toBe(1);
    const all = [names[0], await pseudonym(one, 'lst_2'), await pseudonym(other, 'lst_1')];
    expect(new Set(all).size).toBe(3);
    for (const name of all) expect(name).toMatch(/^usr_[\w-]{22}$/);
    const { client, tables } = database;
    const found = (listingIds: readonly string[]) =>
      customerOf(client, tables.market, listingIds, String(names[0]));
    expect(await found(['lst_2', 'lst_1'])).toEqual({ accountId: one, listingId: 'lst_1' });
    expect([await found(['lst_2']), await found([])]).toEqual([undefined, undefined]);
  });

  it('names no account whose name is not noted for the seller', async () => {
    const failing = aroundSend(database.client, (command, send) => {
      const isNote =
        command instanceof PutItemCommand && command.input.Item?.item?.S?.startsWith('customer#') === true;
      return isNote ? Promise.reject(new Error('no database')) : send(command);
    });
    const named = createPseudonyms(failing, database.tables.market)(await world.open(), 'lst_1');
    await expect(named).rejects.toThrow('no database');
  });
});

describe('a subscription', () => {
  it.each(Object.entries(OPERATIONS))(
    'changes once, whichever database call fails, is lost, is late or is the last of its process: %s',
    async (_name, { prepare, run }) => {
      const healthy = await prepare();
      const counted = new FailingProcess(database, new Map());
      await run(healthy, counted.clients);
      const expected = await stateOf(healthy);
      await endAll();
      expect(counted.calls).toBeGreaterThan(0);
      for (const call of offsets(1, counted.calls, counted.calls > 10 ? 4 : 1)) {
        for (const fault of FAULTS) {
          const parties = await prepare();
          const failing = new FailingProcess(database, new Map([[call, fault]]));
          await run(parties, failing.clients).catch(() => undefined);
          // The end at once, repeated, is 409.
          await run(parties).catch((failure) => expect(failure).toMatchObject({ code: 'conflict' }));
          await failing.landLate();
          expect({ call, fault, state: await stateOf(parties) }).toEqual({ call, fault, state: expected });
          await endAll();
        }
      }
    },
    120_000,
  );

  it('charges once, and stays the only one, if 200 requests subscribe at once', async () => {
    const { seller, buyer, listing } = await market();
    const results = await Promise.allSettled(
      Array.from({ length: 200 }, () => world.subscribe(buyer, listing, BASIC)),
    );
    const ids = results.flatMap((each) => (each.status === 'fulfilled' ? each.value.id : []));
    expect(new Set(ids).size).toBe(1);
    for (const each of results)
      if (each.status === 'rejected') expect(each.reason).toMatchObject({ code: 'overloaded' });
    expect(await stateOf({ seller, buyer, listing })).toMatchObject({
      buyer: { balance: cents(4_700) },
      charges: 1,
      events: [expect.stringContaining('subscription.created')],
    });
    const page = await listSubscriptions(world.subscriptions().store, buyer, {
      role: 'subscriber',
      listingId: undefined,
      limit: 100,
    });
    expect(page.entries).toHaveLength(1);
  });

  it('requires the whole amount as credit: one cent too little buys none', async () => {
    const { buyer, listing } = await market({ paid: 299 });
    expect(await codeOf(world.subscribe(buyer, listing, BASIC))).toBe('insufficient_credit');
    expect(await codeOf(world.subscribe(buyer, listing, { ...BASIC, amount: 1 }))).toBe('price_changed');
    expect(await codeOf(world.subscribe(buyer, listing, { ...BASIC, id: 'none' }))).toBe('invalid_value');
    expect(await world.wallet(buyer)).toMatchObject({ balance: cents(299) });
    expect(await holdings(buyer, listing)).toEqual([]);
  });

  it('charges nothing for a plan with another amount than it has, at its start or at a change', async () => {
    const parties = await subscribed();
    const { buyer, listing } = await market();
    for (const amount of [0, 1, 299, 301])
      expect(await codeOf(world.subscribe(buyer, listing, { ...BASIC, amount }))).toBe('price_changed');
    for (const amount of [0, 300, 899, 901])
      expect(await codeOf(update(parties, { planId: 'pro', amount }))).toBe('price_changed');
    expect(await current(parties)).toMatchObject({ charges: 1, plan: { id: 'basic' } });
    expect(await world.wallet(buyer)).toMatchObject({ balance: cents(5_000) });
    expect(await stateOf(parties)).toMatchObject({ buyer: { balance: cents(4_700) } });
  });

  it('starts with a trial once for each account and listing, whatever becomes of it', async () => {
    const { seller, buyer, listing } = await market();
    const trial = await world.subscribe(buyer, listing, TRIAL);
    expect(trial).toMatchObject({ status: 'trialing', charges: 0 });
    expect(await holdings(buyer, listing)).toMatchObject([{ active: true, plan: 'trial' }]);
    await cancel({ seller, buyer, listing, order: '', id: trial.id });
    expect(await holdings(buyer, listing)).toMatchObject([{ active: false, reason: 'canceled' }]);
    expect(await world.subscribe(buyer, listing, TRIAL)).toMatchObject({ status: 'active', charges: 1 });
    expect(await stateOf({ seller, buyer, listing })).toMatchObject({ buyer: { balance: cents(4_700) } });
  });

  it('retains its price, also if the plan is changed or removed', async () => {
    const parties = await subscribed();
    const { seller, buyer, listing } = parties;
    await world.changeListing(seller, listing, { plans: [{ ...BASIC, amount: 9_999 }] });
    days(31);
    await world.processDue();
    expect(await current(parties)).toMatchObject({ charges: 2, plan: { cents: 300 } });
    await world.changeListing(seller, listing, { plans: [] });
    days(31);
    await world.processDue();
    expect(await current(parties)).toMatchObject({ charges: 3, status: 'active' });
    expect(await stateOf(parties)).toMatchObject({ buyer: { balance: cents(4_100) } });
    expect(await codeOf(update(parties, { planId: 'pro', amount: 900 }))).toBe('invalid_value');
    expect(await codeOf(world.subscribe(buyer, listing, PRO))).toBe('done');
  });

  it('ends with its period if the listing is removed', async () => {
    const parties = await subscribed();
    await world.removeListing(parties.seller, parties.listing);
    expect(await codeOf(update(parties, { planId: 'pro', amount: 900 }))).toBe('conflict');
    days(31);
    expect(await world.processDue()).toMatchObject({ ended: 1, renewed: 0 });
    expect(await current(parties)).toMatchObject({ status: 'canceled', cancelReason: 'listing_removed' });
    expect(await stateOf(parties)).toMatchObject({ buyer: { balance: cents(4_700) } });
    expect(await eventsOf(parties.listing)).toContainEqual({
      type: 'subscription.canceled',
      status: 'canceled',
      reason: 'listing_removed',
    });
  });

  it('becomes past due without credit, continues after a paid retry, and ends after seven unpaid ones', async () => {
    const parties = await subscribed(BASIC, { paid: 350 });
    const { buyer, listing } = parties;
    const first = await current(parties);
    days(31);
    expect(await world.processDue()).toMatchObject({ unpaid: 1 });
    expect(await world.processDue()).toMatchObject({ unpaid: 0, renewed: 0 });
    expect(await holdings(buyer, listing)).toMatchObject([{ active: true }]);
    days(3);
    await world.processDue();
    await world.pay(buyer, 300);
    days(1);
    expect(await world.processDue()).toMatchObject({ renewed: 1 });
    expect(await current(parties)).toMatchObject({
      status: 'active',
      charges: 2,
      period: { start: first.period.end },
    });
    days(28);
    for (let retry = 0; retry <= 8; retry += 1) {
      await world.processDue();
      days(1);
    }
    expect(await current(parties)).toMatchObject({ status: 'canceled', cancelReason: 'payment_failed' });
    expect(await stateOf(parties)).toMatchObject({ buyer: { balance: cents(50) }, charges: 2 });
  });

  it('changes its plan for the difference, and returns part of it with the fee', async () => {
    // Half of a period from January on is in no whole number of cents.
    const year = new Date(world.nowSeconds * 1000).getUTCFullYear();
    days(Date.UTC(year + 1, 0, 10) / 86_400_000 - world.nowSeconds / 86_400);
    const parties = await subscribed();
    days(15.3);
    const { charges, period } = await update(parties, { planId: 'pro', amount: 900 });
    expect([charges, period.start]).toEqual([2, world.nowSeconds]);
    const sale = await world.sale(parties.seller, `${parties.id}#2`);
    const gross = sale?.gross ?? 0n;
    expect(gross > cents(740) && gross < cents(760) && gross % NANO_PER_CENT === 0n).toBe(true);
    expect(await update(parties, { planId: 'pro', amount: 900 })).toMatchObject({ charges: 2 });
    await world.refund(parties.seller, { charge: `${parties.id}#2`, cents: 1 });
    await world.refund(parties.seller, { charge: `${parties.id}#2` });
    expect(await current(parties)).toMatchObject({ status: 'active', returned: gross });
    const state = await stateOf(parties);
    expect(state.buyer.balance).toBe(cents(4_700));
    expect(state.balance.received + state.balance.fees).toBe(cents(300));
    await world.refund(parties.seller, { charge: `${parties.id}#1` });
    expect(await current(parties)).toMatchObject({ status: 'canceled', cancelReason: 'refunded' });
    expect((await stateOf(parties)).buyer.balance).toBe(cents(5_000));
  });

  it('charges exactly what a preview has shown, for ten minutes, and counts from its time', async () => {
    const parties = await subscribed(LARGE, { paid: 300_000 });
    days(15.3);
    const preview = await previewOf(parties, 'larger');
    const shown = { planId: 'larger', amount: 200_000, due: preview.due, prorationDate: preview.at };
    days(600 / 86_400);
    expect((await previewOf(parties, 'larger')).due).toBeGreaterThan(preview.due);
    expect(await codeOf(update(parties, { ...shown, prorationDate: undefined }))).toBe('price_changed');
    expect(await codeOf(update(parties, { ...shown, due: preview.due - 1 }))).toBe('price_changed');
    const { period } = await update(parties, shown);
    expect(period.start).toBe(preview.at);
    expect(await stateOf(parties)).toMatchObject({ buyer: { balance: cents(200_000 - preview.due) } });
  });

  it.each([
    ['older than ten minutes', 601],
    ['in the future', -1],
  ])('rejects a preview that is %s, and charges nothing', async (_case, seconds) => {
    const parties = await subscribed();
    days(10);
    const { due, at } = await previewOf(parties, 'pro');
    const prorationDate = at - seconds;
    expect(await codeOf(update(parties, { planId: 'pro', amount: 900, prorationDate }))).toBe(
      'price_changed',
    );
    expect(await codeOf(update(parties, { planId: 'pro', amount: 900, due, prorationDate: at }))).toBe(
      'done',
    );
    // A preview of the period before is no preview of this one.
    const stale = { planId: 'basic', amount: 300, prorationDate: at - 1 };
    expect(await codeOf(update(parties, stale))).toBe('price_changed');
  });

  it('costs nothing for the owner of the listing', async () => {
    const { seller, listing } = await market();
    opened.push({ buyer: seller, listing });
    const { id } = await world.subscribe(seller, listing, PRO);
    days(31);
    expect(await world.processDue()).toMatchObject({ renewed: 1 });
    expect(await current({ buyer: seller, id })).toMatchObject({ status: 'active', charges: 0 });
    expect(await world.audit(seller)).toEqual([]);
  });

  it('entitles to nothing while the account owes', async () => {
    const parties = await subscribed();
    await world.reverse(parties.buyer, parties.order, 'dp_1', 5_000);
    expect(await holdings(parties.buyer, parties.listing)).toMatchObject([
      { active: false, reason: 'account_owes', source: 'subscription' },
    ]);
    await world.grant(parties.buyer, 300);
    expect(await holdings(parties.buyer, parties.listing)).toMatchObject([{ active: true, reason: null }]);
  });

  it('belongs to its subscriber, and is listed for the seller of its listing alone', async () => {
    const parties = await subscribed();
    const { store } = world.subscriptions();
    const stranger = await world.open();
    for (const accountId of [parties.seller, stranger])
      expect(await codeOf(cancel({ ...parties, buyer: accountId }))).toBe('not_found');
    const query = { role: 'seller', listingId: parties.listing.id, limit: 10 } as const;
    expect((await listSubscriptions(store, parties.seller, query)).entries).toMatchObject([
      { id: parties.id },
    ]);
    expect(await listSubscriptions(store, stranger, query)).toEqual({ entries: [], next: undefined });
    expect(await codeOf(world.refund(stranger, { charge: `${parties.id}#1` }))).toBe('not_found');
  });

  it('appears in pages, newest first, for its subscriber and for the seller', async () => {
    const { seller, buyer, listing } = await market();
    const others = await Promise.all([world.offer(seller, [BASIC]), world.offer(seller, [BASIC])]);
    const ids: string[] = [];
    for (const each of [listing, ...others]) {
      opened.push({ buyer, listing: each });
      days(0.001);
      ids.unshift((await world.subscribe(buyer, each, BASIC)).id);
    }
    const { store } = world.subscriptions();
    const first = await store.list(buyer, { listingId: undefined, limit: 2 });
    expect([first.entries.map(({ id }) => id), first.next]).toEqual([ids.slice(0, 2), ids[1]]);
    const rest = await store.list(buyer, { listingId: undefined, limit: 2, after: ids[1] });
    expect([rest.entries.map(({ id }) => id), rest.next]).toEqual([ids.slice(2), undefined]);
    const only = await store.list(buyer, { listingId: listing.id, limit: 2 });
    expect(only.entries.map(({ id }) => id)).toEqual(ids.slice(2));
    const stranger = await world.open();
    opened.push({ buyer: stranger, listing });
    await world.pay(stranger, 500);
    const newest = await world.subscribe(stranger, listing, BASIC);
    const page = await store.listOf(listing.id, { limit: 1 });
    expect([page.entries.map(({ id }) => id), page.next]).toEqual([[newest.id], newest.id]);
    expect((await store.listOf(listing.id, { limit: 1, after: newest.id })).entries).toMatchObject([
      { id: ids[2] },
    ]);
  });

  it('counts among at most 100 live ones of an account', async () => {
    const [seller, buyer] = await Promise.all([world.open(), world.open()]);
    await world.pay(buyer, 100_000);
    const offers = await Promise.all(
      Array.from({ length: QUOTAS.subscriptions_per_account + 1 }, async (_, index) =>
        // An account has 100 listings at most.
        world.offer(index === 0 ? await world.open() : seller, [BASIC]),
      ),
    );
    const [extra, ...full] = offers as [ListedThing, ...ListedThing[]];
    const subscriptions: string[] = [];
    for (const listing of offers) opened.push({ buyer, listing });
    for (const listing of full) subscriptions.push((await world.subscribe(buyer, listing, BASIC)).id);
    expect(await codeOf(world.subscribe(buyer, extra, BASIC))).toBe('subscription_quota');
    await cancel({ seller, buyer, listing: extra, order: '', id: subscriptions[0] ?? '' });
    expect(await codeOf(world.subscribe(buyer, extra, BASIC))).toBe('done');
  });
});

describe('renewals', () => {
  it('charge each of many subscriptions once a period (THOROUGH=10: 1,000), with 8 workers that repeat and die', async () => {
    const count = Math.min(1_000, rounds(100));
    const seller = await world.open();
    const offers = await Promise.all(Array.from({ length: 10 }, () => world.offer(seller, [BASIC])));
    const subscriptions: { readonly buyer: string; readonly id: string }[] = [];
    const buyers: string[] = [];
    for (; subscriptions.length < count; ) {
      const buyer = await world.open();
      buyers.push(buyer);
      await world.pay(buyer, 10_000);
      for (const listing of offers) {
        subscriptions.push({ buyer, id: (await world.subscribe(buyer, listing, BASIC)).id });
        opened.push({ buyer, listing });
      }
    }
    for (const charges of [2, 3]) {
      days(31);
      let deaths = 0;
      for (let isDue = true; isDue; ) {
        const workers = Array.from({ length: 8 }, () => {
          deaths += 1;
          const dying = new FailingProcess(database, new Map([[3 + ((deaths * 97) % 400), 'dies-after']]));
          return world.processDue(dying.clients).catch(() => undefined);
        });
        await Promise.all(workers);
        isDue = (await world.processDue()).oldestSeconds > 0;
      }
      for (const each of subscriptions)
        expect(await current(each)).toMatchObject({ charges, status: 'active' });
    }
    for (const buyer of buyers)
      expect(await world.wallet(buyer)).toMatchObject({ balance: cents(10_000 - 10 * 3 * 300) });
    expect(await world.audit(seller, ...buyers)).toEqual([]);
  }, 600_000);

  it('bill one period after an outage of 40 days', async () => {
    const parties = await subscribed();
    const { period } = await current(parties);
    world.day += (period.end - world.nowSeconds) / 86_400 + 40;
    expect(await world.processDue()).toMatchObject({ renewed: 1 });
    expect(await world.processDue()).toMatchObject({ renewed: 0 });
    const after = await current(parties);
    expect([
      after.charges,
      after.period.start <= world.nowSeconds,
      after.period.end > world.nowSeconds,
    ]).toEqual([2, true, true]);
    expect(await stateOf(parties)).toMatchObject({ buyer: { balance: cents(4_400) } });
  });

  it('leave one result if a cancellation comes at the same instant, and charge nothing after the end', async () => {
    for (let round = 0; round < 10; round += 1) {
      const parties = await due(subscribed);
      await Promise.all([codeOf(cancel(parties)), world.processDue(), world.processDue()]);
      const { status, charges } = await current(parties);
      expect(status).toBe('canceled');
      expect(await stateOf(parties)).toMatchObject({ buyer: { balance: cents(5_000 - 300 * charges) } });
      days(60);
      await world.processDue();
      expect(await current(parties)).toMatchObject({ charges });
    }
  });
});
