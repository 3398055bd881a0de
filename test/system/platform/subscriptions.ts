/** Subscriptions through the service's own routes; their events arrive at a receiver that verifies them with the official library. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { until } from '../../../tools/test-kit/waiting.ts';
import { Owner } from '../owner.ts';
import { errorOf } from '../payer.ts';
import { service } from './service.ts';
import { type EventReceiver, receiveEvents, type VerifiedEvent } from './verified-events.ts';

/** Each operator's command is a process: on a busy machine it takes seconds. */
interface SubscriptionBody {
  readonly id: string;
  readonly status: string;
  readonly charges: readonly { readonly id: string; readonly amount: number; readonly refunded: number }[];
}

const BASIC = { id: 'basic', name: 'Basic', interval: 'month', amount: 400, currency: 'USD', trial_days: 0 };
const YEARLY = { ...BASIC, id: 'yearly', interval: 'year' };
const TRIAL = { ...YEARLY, id: 'trial', name: 'Trial', trial_days: 90 };
const TYPES = ['subscription.created', 'subscription.updated', 'subscription.canceled'];

let seller: Owner;
let receiver: EventReceiver;

beforeAll(async () => {
  seller = await Owner.open(service);
  receiver = await receiveEvents(seller, TYPES);
});

afterAll(() => receiver.close());

let offers = 0;
async function offer(price: object | null = null): Promise<string> {
  offers += 1;
  const fields = {
    name: `Offer ${offers} ${seller.id}`,
    summary: 'One.',
    category: 'tools',
    price,
    plans: [BASIC, YEARLY, TRIAL],
  };
  const response = await seller.send('POST', '/apps', fields);
  const listing = (await response.json()) as { readonly id: string; readonly plans: unknown };
  expect(listing.plans).toEqual([BASIC, YEARLY, TRIAL]);
  return listing.id;
}

const subscribe = (buyer: Owner, listing: string, body: object) =>
  buyer.send('POST', `/apps/${listing}/subscribe`, body);

const eventsOf = ({ id }: { readonly id: string }) =>
  receiver.events.filter(({ data }) => data.subscription_id === id);

const arrival = (of: { readonly id: string }, isIt: (event: VerifiedEvent) => boolean) =>
  until(
    async () => {
      await service.admin('market', 'run');
      return eventsOf(of);
    },
    (all) => all.some(isIt),
  );

describe('an entitlement', () => {
  it('reaches a product by a token of its listing, with a key that can do nothing else', async () => {
    const buyer = await Owner.open(service);
    await buyer.buy(10);
    const [listing, other] = [await offer(), await offer()];
    const { key } = await buyer.createKey({ name: 'for products', policy: { allowed_kinds: [] } });
    const tokenOf = (id: string) => service.post(`/apps/${id}/entitlement-token`, {}, { key });
    expect(await errorOf(await tokenOf(listing))).toMatchObject({ status: 403, code: 'not_customer' });
    for (const id of [listing, other]) await subscribe(buyer, id, { plan: 'trial', amount: 400 });
    const tokens = [];
    for (const id of [listing, other]) {
      const response = await tokenOf(id);
      expect(response.status).toBe(201);
      tokens.push(((await response.json()) as { readonly token: string }).token);
    }
    const keys = createRemoteJWKSet(new URL('/.well-known/jwks.json', service.session.platform_url));
    const read = async (token = '', audience = listing) =>
      (await jwtVerify(token, keys, { audience, algorithms: ['ES256'] })).payload;
    const claims = await read(tokens[0]);
    expect(claims).toMatchObject({ source: 'subscription', plan: 'trial' });
    expect(JSON.stringify(claims)).not.toContain(buyer.id);
    expect((await read(tokens[1], other)).sub).not.toBe(claims.sub);
    await expect(read(tokens[1])).rejects.toThrow('"aud"');

    // The seller asks with a key of its own, by either name of its customer.
    const { key: sellerKey } = await seller.createKey({ name: 'product', policy: { allowed_kinds: [] } });
    const ask = async (customer: unknown, by = sellerKey) => {
      const path = `/api/v1/entitlements?listing_id=${listing}&subscriber_id=${customer}`;
      return (await (await service.fetch(path, { key: by })).json()) as { readonly data: unknown };
    };
    for (const customer of [claims.sub, buyer.id])
      expect(await ask(customer)).toMatchObject({ data: [{ listing_id: listing, active: true }] });
    for (const customer of [claims.sub, buyer.id, seller.id])
      expect(await ask(customer, key)).toMatchObject({ data: [] });
    expect(await ask(seller.id)).toMatchObject({ data: [] });
    const unnamed = await service.fetch(`/api/v1/entitlements?subscriber_id=${buyer.id}`, { key: sellerKey });
    expect(await errorOf(unnamed)).toMatchObject({ status: 400, code: 'missing_field', param: 'listing_id' });

    const call = { model: 'sim/chat', messages: [{ role: 'user', content: 'Hi' }] };
    expect(await errorOf(await service.chat(call, { key }))).toMatchObject({ code: 'kind_not_allowed' });
    const webhooks = await service.fetch('/api/v1/webhooks', { key });
    expect(await errorOf(webhooks)).toMatchObject({ status: 403, code: 'kind_not_allowed' });
  });
});

describe('a subscription', () => {
  it('charges, renews, becomes past due and ends, with each event verified at its receiver', async () => {
    const buyer = await Owner.open(service);
    await buyer.buy(10);
    const listing = await offer();
    expect(await errorOf(await subscribe(buyer, listing, { plan: 'basic', amount: 399 }))).toMatchObject({
      status: 409,
      code: 'price_changed',
    });
    const responses = await Promise.all(
      Array.from({ length: 5 }, () => subscribe(buyer, listing, { plan: 'basic', amount: 400 })),
    );
    const bodies = (await Promise.all(responses.map((each) => each.json()))) as SubscriptionBody[];
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 201]);
    const [subscription] = bodies as [SubscriptionBody];
    expect(new Set(bodies.map(({ id }) => id))).toEqual(new Set([subscription.id]));
    const entitlements = `/api/v1/entitlements?listing_id=${listing}`;
    const { key } = await buyer.createKey({ name: 'own' });
    expect(await (await service.fetch(entitlements, { key })).json()).toMatchObject({
      data: [{ listing_id: listing, source: 'subscription', plan: 'basic', active: true }],
    });
    // The credit pays two periods, and the third is tried eight times.
    await arrival(subscription, ({ type }) => type === 'subscription.canceled');
    const seen = eventsOf(subscription);
    expect(seen).toContainEqual(
      expect.objectContaining({
        type: 'subscription.created',
        data: expect.objectContaining({
          amount: 400,
          charge_id: `${subscription.id}#1`,
          listing_id: listing,
        }),
      }),
    );
    const updated = seen.filter(({ type }) => type === 'subscription.updated').map(({ data }) => data);
    expect(updated).toContainEqual(expect.objectContaining({ charge_id: `${subscription.id}#2` }));
    expect(updated).toContainEqual(
      expect.objectContaining({ status: 'past_due', previous: { status: 'active' } }),
    );
    expect(seen.at(-1)?.data).toMatchObject({ reason: 'payment_failed', subscriber_id: buyer.id });
    const ended = await buyer.json<SubscriptionBody>(`/api/v1/subscriptions/${subscription.id}`);
    expect(ended).toMatchObject({
      status: 'canceled',
      charges: [
        { id: `${subscription.id}#2`, amount: 400, refunded: 0 },
        { id: `${subscription.id}#1`, amount: 400, refunded: 0 },
      ],
    });
    expect(await buyer.json('/api/v1/credits')).toMatchObject({ balance: 2 });
    expect(await buyer.json(entitlements)).toMatchObject({ data: [{ active: false, reason: 'canceled' }] });
    expect(await seller.json(`/api/v1/subscriptions?role=seller&listing_id=${listing}`)).toMatchObject({
      data: [{ id: subscription.id, subscriber_id: buyer.id }],
    });
    expect(await service.admin('audit', '--whole')).toMatchObject({ exact: true, drift: 0 });
  });

  it('keeps its account from paying twice, until it confirms a purchase', async () => {
    const buyer = await Owner.open(service);
    await buyer.buy(5);
    const price = { amount: 100, currency: 'USD' };
    const listing = await offer(price);
    expect((await subscribe(buyer, listing, { plan: 'trial', amount: 400 })).status).toBe(201);
    const purchase = (body: object) => buyer.send('POST', `/apps/${listing}/purchase`, { ...price, ...body });
    for (const body of [{}, { while_subscribed: false }])
      expect(await errorOf(await purchase(body))).toMatchObject({
        status: 409,
        type: 'conflict_error',
        code: 'already_subscribed',
        param: 'while_subscribed',
      });
    expect(await buyer.json('/api/v1/credits')).toMatchObject({ balance: 5 });
    expect((await purchase({ while_subscribed: true })).status).toBe(201);
    expect(await buyer.json('/api/v1/credits')).toMatchObject({ balance: 4 });
  });

  it('starts with a trial, is changed for the whole amount, refunded, and ends by that', async () => {
    const buyer = await Owner.open(service);
    await buyer.buy(5);
    const listing = await offer();
    const trial = (await (await subscribe(buyer, listing, { plan: 'trial', amount: 400 })).json()) as {
      readonly id: string;
    };
    const path = `/api/v1/subscriptions/${trial.id}`;
    expect(await buyer.json(path)).toMatchObject({ status: 'trialing', charges: [], preview: null });
    expect((await buyer.send('PATCH', path, { cancel_at_period_end: true })).status).toBe(200);
    const { preview } = await buyer.json<{ readonly preview: object }>(`${path}?plan=yearly`);
    expect(preview).toMatchObject({ plan: 'yearly', amount: 400, due: 400 });
    const { current_period_end: end, ...shown } = preview as { readonly current_period_end: number };
    for (const wrong of [{ due: 399 }, { proration_date: end }])
      expect(await errorOf(await buyer.send('PATCH', path, { ...shown, ...wrong }))).toMatchObject({
        status: 409,
        code: 'price_changed',
        param: Object.keys(wrong)[0],
      });
    const changed = await buyer.send('PATCH', path, shown);
    expect(await changed.json()).toMatchObject({
      status: 'active',
      cancel_at_period_end: false,
      current_period_end: end,
    });
    const refund = await seller.send('POST', '/api/v1/refunds', { charge: `${trial.id}#1` });
    expect([refund.status, await refund.json()]).toMatchObject([201, { amount: 400 }]);
    await until(
      async () => eventsOf(trial),
      (all) => all.some(({ data }) => data.reason === 'refunded'),
    );
    expect(await errorOf(await buyer.send('DELETE', path))).toMatchObject({ status: 409, code: 'conflict' });
    expect(await buyer.json('/api/v1/credits')).toMatchObject({ balance: 5 });
  });
});
