/** No account sees or changes what is another’s: every route that identifies its caller, but the operator's view of all. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { ROUTES } from '../../../lambdas/app/routes.ts';
import type { Authentication, Route } from '../../../lambdas/platform/contract/route.ts';
import { Owner } from '../owner.ts';
import {
  type Belongings,
  ISOLATION_CASES,
  makeBelongings,
  type NamedIds,
  NOBODYS,
  RECEIVER,
  sellOnce,
} from './reaches.ts';
import { service } from './service.ts';

let mine: Belongings;
let theirs: Belongings;

const newBelongings = async () => makeBelongings(service, await Owner.open(service), 5);

beforeAll(async () => {
  const buyer = await Owner.open(service);
  await buyer.buy(5);
  const sellers = await Promise.all([newBelongings(), newBelongings()]);
  mine = await sellOnce(service, buyer, sellers[0]);
  theirs = await sellOnce(service, buyer, sellers[1]);
});

const routes: readonly (readonly [string, Route])[] = ROUTES.filter(
  ({ authentication, paid }: Route) => !['none', 'operator'].includes(authentication) && paid !== true,
).map((route: Route) => [`${route.method} ${route.path}`, route]);

/** Sends the request about an account's objects. */
const send = (route: Route, of: NamedIds, credential: string | null) => {
  const { body, path, listPath } = ISOLATION_CASES[route.endpoint] ?? {};
  const fields = typeof body === 'function' ? body(of) : body;
  const json = { headers: { 'content-type': 'application/json' }, body: JSON.stringify(fields) };
  return service.fetch(path?.(of, route) ?? listPath?.(of) ?? route.path, {
    method: route.method,
    key: credential,
    ...(fields === undefined ? {} : json),
  });
};

/** The credentials of an account that a route takes. */
const credentialsFor = ({ authentication }: Route, { owner, key }: Belongings): readonly string[] => {
  const acceptedCredentials: Readonly<Record<Authentication, readonly string[]>> = {
    none: [],
    'api-key': [key],
    session: [owner.session],
    'api-key-or-session': [key, owner.session],
    operator: [],
  };
  return acceptedCredentials[authentication];
};

/** POST routes after which the owner's key or session is another one, or none. */
const REPLACES: ReadonlySet<string> = new Set(['rotate-key', 'renew-session', 'delete-session']);

const anonymous = (text: string) => text.replaceAll(/ \(request id: req_\w+\)/g, '');

/** Everything of an account that a stranger might want to see or change. */
async function stateOf(of: Belongings) {
  const { owner, keyId, key, requestId, orderId, webhookId, listingIds, subscriptionId } = of;
  const get = async <T = unknown>(path: string) => (await (await service.fetch(path, { key })).json()) as T;
  const [keys, credits, usage, order, webhook, deliveries, subscription, ...listings] = await Promise.all([
    owner.json<{ readonly data: readonly unknown[] }>('/api-keys'),
    owner.json(`/credits/${keyId}`),
    get(`/v1/usage/${requestId}`),
    owner.json(`/api/orders/${orderId}`),
    get<Readonly<Record<string, unknown>>>(`/api/v1/webhooks/${webhookId}`),
    get<{ readonly data: readonly Delivery[] }>(`/api/v1/webhooks/${webhookId}/deliveries`),
    owner.json<{ readonly id: string; readonly status: string; readonly cancel_at_period_end: boolean }>(
      `/api/v1/subscriptions/${subscriptionId}`,
    ),
    ...Object.entries(listingIds).map(async ([collection, id]) => {
      // Anybody's installs and reviews change these two fields, and nothing else.
      const { installs, rating, ...listing } = await owner.json(`/${collection}/${id}`);
      return { listing, releases: await owner.json(`/${collection}/${id}/releases`) };
    }),
  ]);
  const { url, events, status } = webhook;
  return {
    keys,
    credits,
    usage,
    order,
    // As its owner set it up: its statistics change with each attempt.
    webhook: { url, events, status },
    // Its own period may end meanwhile.
    subscription: { id: subscription.id, isEnding: subscription.cancel_at_period_end },
    // Those of test events: anybody's review of a listing makes another.
    deliveries: deliveries.data.filter(({ event_id: id }) => id.startsWith('evt_test_')).map(({ id }) => id),
    listings,
  };
}

interface Delivery {
  readonly id: string;
  readonly event_id: string;
}

it('every route that identifies its caller has a row', () => {
  expect(
    routes.map(([, { endpoint }]) => endpoint).filter((endpoint) => !(endpoint in ISOLATION_CASES)),
  ).toEqual([]);
});

it('the state that is compared holds one of everything that an account has', async () => {
  expect(await stateOf(mine)).toMatchObject({
    keys: { data: [{ id: mine.keyId, name: 'own', disabled: false }] },
    credits: { api_key: mine.keyId, policy: { daily_usd: 3 } },
    usage: { id: mine.requestId, status: 'completed' },
    order: { order_id: mine.orderId, status: 'paid' },
    webhook: { url: RECEIVER, events: ['review.created'], status: 'active' },
    subscription: { id: mine.subscriptionId, isEnding: false },
    deliveries: [mine.deliveryId],
    listings: Object.values(mine.listingIds).map((id) => ({
      listing: { id },
      releases: { data: [{ version: '2.0.0' }, { version: '1.0.0' }] },
    })),
  });
});

const expectOwn = ({ status, ok }: Response, ownStatus: number | undefined, text = '') =>
  expect([text, status, ok]).toEqual([text, ownStatus ?? status, ownStatus === undefined]);

/** A stranger's call of a route, with each credential that it takes. */
async function expectNothing(route: Route, asker: Belongings, other: Belongings): Promise<void> {
  const { path, publicAccess, ownStatus } = ISOLATION_CASES[route.endpoint] ?? {};
  for (const credential of credentialsFor(route, asker)) {
    const response = await send(route, other, credential);
    const text = anonymous(await response.text());
    const missing = path === undefined ? undefined : await send(route, NOBODYS, credential);
    expect(missing?.status ?? 404).toBe(404);
    if (publicAccess === undefined && missing !== undefined)
      expect([response.status, text]).toEqual([404, anonymous(await missing.text())]);
    else {
      if (publicAccess === 'owner-acts')
        expect([response.status, text]).toEqual([403, expect.stringContaining('"not_owner"')]);
      else expectOwn(response, ownStatus);
      for (const foreignId of [other.accountId, other.keyId, other.orderId, other.requestId, other.webhookId])
        expect(text).not.toContain(foreignId);
    }
  }
}

describe('the data of another account', () => {
  const accessOf = ({ endpoint }: Route) => ISOLATION_CASES[endpoint] ?? {};
  const naming = routes.filter(([, route]) => accessOf(route).path !== undefined);
  const otherRoutes = routes.filter(([, route]) => accessOf(route).path === undefined);
  const states = () => Promise.all([stateOf(mine), stateOf(theirs)]);
  let before: Awaited<ReturnType<typeof states>>;

  beforeAll(async () => {
    before = await states();
  });

  it.each(naming)('stays hidden from a caller who names it: %s', async (_name, route) => {
    await expectNothing(route, mine, theirs);
    await expectNothing(route, theirs, mine);
  });

  it('stays unchanged after a stranger has named it', async () => {
    expect(await states()).toEqual(before);
  });

  it.each(otherRoutes)('stays out of lists: %s', async (_name, route) => {
    // What a route ends, replaces or deletes is that of an account of its own.
    const isKept = accessOf(route).endsSession === undefined && /GET|POST/.test(route.method);
    const asker = isKept ? mine : await newBelongings();
    await expectNothing(route, asker, theirs);
  });

  it('stays unchanged by what strangers create', async () => {
    expect(await stateOf(theirs)).toEqual(before[1]);
  });
});

describe.each(routes)('%s', (_name, route) => {
  const { shows, endsSession, ownStatus } = ISOLATION_CASES[route.endpoint] ?? {};

  it('rejects a missing or unknown credential and one of the other type', async () => {
    const acceptedCredentials = credentialsFor(route, mine);
    const wrong = [mine.key, mine.owner.session].filter(
      (credential) => !acceptedCredentials.includes(credential),
    );
    const credentials = [null, 'nonsense', ...wrong];
    for (const credential of credentials) {
      const response = await send(route, mine, credential);
      expect(response.status).toBe(401);
      expect(((await response.json()) as { error: object }).error).toMatchObject({
        type: 'authentication_error',
      });
    }
  });

  it('succeeds for the owner, with the requests that it rejects for another account', async () => {
    // What the owner deletes or replaces is nobody else's in these tests, and not there for another credential.
    const isConsumed = REPLACES.has(route.endpoint) || !/GET|POST/.test(route.method);
    let foreignId = mine;
    for (const index of credentialsFor(route, mine).keys()) {
      if (isConsumed) foreignId = await newBelongings();
      const credential = credentialsFor(route, foreignId)[index] ?? null;
      const response = await send(route, foreignId, credential);
      const text = await response.text();
      expectOwn(response, ownStatus, text);
      if (route.method === 'GET' && shows === undefined && ownStatus === undefined)
        throw new Error(`${route.endpoint} shows what?`);
      if (shows !== undefined) expect(text).toContain(shows(foreignId, route));
    }
    if (endsSession !== undefined) expect((await foreignId.owner.fetch('/api-keys')).status).toBe(401);
  });
});

it('a key’s secret identifies another account’s wallet no more than the key’s id', async () => {
  const response = await service.fetch(`/credits/${theirs.key}`, { key: mine.key });
  const owner = await mine.owner.fetch(`/credits/${theirs.key}`);
  expect([response.status, owner.status]).toEqual([404, 404]);
  expect((await mine.owner.fetch(`/credits/${mine.key}`)).status).toBe(200);
});
