import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Route } from '../../lambdas/contract/route.ts';
import { ROUTES } from '../../lambdas/contract/routes.ts';
import { Owner } from './owner.ts';
import { type Belongings, NOBODYS, newListing, REACHES, RECEIVER } from './reaches.ts';
import { Service } from './service.ts';

/** The first call to a function starts its process. */
jest.setTimeout(30_000);

/** A webhook's receiver may be on this machine, so that no delivery leaves it. */
const service = new Service({ WEBHOOK_ALLOW_LOOPBACK: '1' });

let mine: Belongings;
let theirs: Belongings;

async function settleIn(): Promise<Belongings> {
  const { account_id: accountId, session_token: session } = await service.admin<{
    account_id: string;
    session_token: string;
  }>('account', 'create');
  const owner = new Owner(service, session);
  const { order_id: orderId } = await owner.buy(5);
  const { id: keyId, key } = await owner.createKey({ name: 'own', policy: { daily_usd: 3, rpm: 100_000 } });
  const call = await service.chat(
    { model: 'sim/chat', messages: [{ role: 'user', content: 'Hi' }] },
    { key },
  );
  const requestId = call.headers.get('x-request-id') ?? '';
  const { webhookId, deliveryId } = await subscribe(key);
  const listingIds: Record<string, string> = {};
  for (const collection of ['apps', 'ai-agents']) {
    const listing = (await (await owner.send('POST', `/${collection}`, newListing())).json()) as {
      id: string;
    };
    listingIds[collection] = listing.id;
  }
  return { accountId, owner, keyId, key, orderId, requestId, webhookId, deliveryId, listingIds };
}

async function subscribe(key: string): Promise<Pick<Belongings, 'webhookId' | 'deliveryId'>> {
  const post = async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json' };
    const response = await service.fetch(path, { method: 'POST', key, headers, body: JSON.stringify(body) });
    return (await response.json()) as { readonly id: string };
  };
  const { id: webhookId } = await post('/api/v1/webhooks', { url: RECEIVER, events: ['review.created'] });
  const { id: deliveryId } = await post(`/api/v1/webhooks/${webhookId}/test`, {});
  return { webhookId, deliveryId };
}

beforeAll(async () => {
  await service.start();
  [mine, theirs] = await Promise.all([settleIn(), settleIn()]);
}, 90_000);
afterAll(() => service.dispose());

const routes: readonly (readonly [string, Route])[] = ROUTES.filter(
  (route: Route) => route.authentication !== 'none' && route.paid !== true,
).map((route: Route) => [`${route.method} ${route.path}`, route]);

const send = (route: Route, path: string, credential: string | null) => {
  const { body } = REACHES[route.endpoint] ?? {};
  const fields = typeof body === 'function' ? body() : body;
  const json = { headers: { 'content-type': 'application/json' }, body: JSON.stringify(fields) };
  return service.fetch(path, {
    method: route.method,
    key: credential,
    ...(fields === undefined ? {} : json),
  });
};

/** The credentials of an account that a route takes. */
const credentialsFor = (
  { authentication, endpoint }: Route,
  { owner, key }: Belongings,
): readonly string[] => {
  if (endpoint === 'get-credits') return [key, owner.session];
  return [authentication === 'session' ? owner.session : key];
};

const anonymous = (text: string) => text.replaceAll(/ \(request id: req_\w+\)/g, '');

/** Everything of an account that a stranger might want to see or change. */
async function stateOf({ owner, keyId, key, requestId, orderId, webhookId, listingIds }: Belongings) {
  const get = async (path: string) => (await service.fetch(path, { key })).json();
  const keys = await (await owner.fetch('/api-keys')).json();
  const credits = await owner.json(`/credits/${keyId}`);
  const market = [];
  for (const [collection, id] of Object.entries(listingIds)) {
    // What anybody may do shows in these two, and in nothing else.
    const { installs, rating, ...listing } = await owner.json(`/${collection}/${id}`);
    market.push(listing, await owner.json(`/${collection}/${id}/releases`));
  }
  const { data: deliveries } = (await get(`/api/v1/webhooks/${webhookId}/deliveries`)) as {
    readonly data: readonly { readonly id: string; readonly event_type: string }[];
  };
  return {
    keys,
    credits,
    usage: await get(`/v1/usage/${requestId}`),
    order: await owner.json(`/api/orders/${orderId}`),
    subscription: await subscriptionOf(get, webhookId),
    // Of events of its own only: a stranger's review of a listing is told of.
    deliveries: deliveries.filter(({ event_type: type }) => type === 'webhook.test').map(({ id }) => id),
    market,
  };
}

/** A webhook as its owner set it up: how its deliveries fare changes by itself. */
async function subscriptionOf(get: (path: string) => Promise<unknown>, id: string) {
  const { url, events, status } = (await get(`/api/v1/webhooks/${id}`)) as Record<string, unknown>;
  return { url, events, status };
}

it('every route that knows who asks has been thought of', () => {
  expect(routes.map(([, { endpoint }]) => endpoint).filter((endpoint) => !(endpoint in REACHES))).toEqual([]);
});

describe.each(routes)('%s', (_name, route) => {
  const { path, publicThing, endsSession } = REACHES[route.endpoint] ?? {};

  it('takes no other credential than its own kind', async () => {
    const target = path?.(mine, route) ?? route.path;
    const wrong = route.authentication === 'session' ? mine.key : mine.owner.session;
    const credentials = [null, 'nonsense', ...(route.endpoint === 'get-credits' ? [] : [wrong])];
    for (const credential of credentials) {
      const response = await send(route, target, credential);
      expect(response.status).toBe(401);
      expect(((await response.json()) as { error: object }).error).toMatchObject({
        type: 'authentication_error',
      });
    }
  });

  it('shows and changes nothing of another account, and does not tell what is there from what is not', async () => {
    const pairs =
      endsSession === undefined
        ? ([
            [mine, theirs],
            [theirs, mine],
          ] as const)
        : ([[await settleIn(), mine]] as const);
    for (const [asker, other] of pairs) {
      const before = await stateOf(other);
      for (const credential of credentialsFor(route, asker)) {
        const response = await send(route, path?.(other, route) ?? route.path, credential);
        const text = anonymous(await response.text());
        if (publicThing === undefined && path !== undefined) {
          const missing = await send(route, path(NOBODYS, route), credential);
          expect([response.status, text]).toEqual([404, anonymous(await missing.text())]);
          expect(missing.status).toBe(404);
        } else {
          if (publicThing === 'owner-acts') expect(response.status).toBe(403);
          else expect([response.status, response.ok]).toEqual([response.status, true]);
          for (const own of [other.accountId, other.keyId, other.orderId, other.requestId, other.webhookId])
            expect(text).not.toContain(own);
        }
      }
      expect(await stateOf(other)).toEqual(before);
    }
  });
});

it('a key’s own text opens another’s credit no more than its id', async () => {
  const asked = await service.fetch(`/credits/${theirs.key}`, { key: mine.key });
  const owner = await mine.owner.fetch(`/credits/${theirs.key}`);
  expect([asked.status, owner.status]).toEqual([404, 404]);
  expect((await mine.owner.fetch(`/credits/${mine.key}`)).status).toBe(200);
});
