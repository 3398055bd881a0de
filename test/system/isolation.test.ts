import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ROUTES, type Route } from '../../lambdas/contract/routes.ts';
import { Owner } from './owner.ts';
import { Service } from './service.ts';

/** The first call to a function starts its process. */
jest.setTimeout(30_000);

const service = new Service();

/** What belongs to one account. */
interface Belongings {
  readonly accountId: string;
  readonly owner: Owner;
  readonly keyId: string;
  readonly key: string;
  readonly orderId: string;
  readonly requestId: string;
}

let mine: Belongings;
let theirs: Belongings;

async function settleIn(): Promise<Belongings> {
  const { account_id: accountId, session_token: session } = await service.admin<{
    account_id: string;
    session_token: string;
  }>('account', 'create');
  const owner = new Owner(service, session);
  const { order_id: orderId } = await owner.buy(5);
  const { id: keyId, key } = await owner.createKey({ name: 'own', policy: { daily_usd: 3 } });
  const call = await service.chat(
    { model: 'sim/chat', messages: [{ role: 'user', content: 'Hi' }] },
    { key },
  );
  return { accountId, owner, keyId, key, orderId, requestId: call.headers.get('x-request-id') ?? '' };
}

beforeAll(async () => {
  await service.start();
  [mine, theirs] = await Promise.all([settleIn(), settleIn()]);
}, 90_000);
afterAll(() => service.dispose());

interface Reach {
  /** The path and body that reach for what belongs to somebody; undefined when the route names nothing. */
  readonly path?: (of: Pick<Belongings, 'keyId' | 'orderId' | 'requestId' | 'key'>) => string;
  readonly body?: object;
}

/** How each route that knows who asks could reach for what is another's. A new such route needs a row. */
const REACHES: Readonly<Record<string, Reach>> = {
  'get-account': {},
  'create-key': { body: { name: 'new' } },
  'list-keys': {},
  'update-key': { path: ({ keyId }) => `/api-keys/${keyId}`, body: { disabled: true, name: 'taken over' } },
  'delete-key': { path: ({ keyId }) => `/api-keys/${keyId}` },
  'rotate-key': { path: ({ keyId }) => `/api-keys/${keyId}/rotate`, body: { overlap_seconds: 0 } },
  'create-order': { body: { amount: 1, currency: 'USD' } },
  'list-orders': {},
  'get-order': { path: ({ orderId }) => `/api/orders/${orderId}` },
  'get-credits': { path: ({ keyId }) => `/credits/${keyId}` },
  'list-usage': {},
  'get-usage': { path: ({ requestId }) => `/v1/usage/${requestId}` },
};

const NOBODYS = {
  keyId: `key_${'0'.repeat(26)}`,
  orderId: `ord_${'0'.repeat(26)}`,
  requestId: `req_${'0'.repeat(26)}`,
  key: `uis_${'0'.repeat(124)}`,
};

const routes: readonly (readonly [string, Route])[] = ROUTES.filter(
  (route: Route) => route.authentication !== 'none' && route.kind === undefined,
).map((route: Route) => [`${route.method} ${route.path}`, route]);

const send = (route: Route, path: string, credential: string | null, body: object | undefined) =>
  service.fetch(path, {
    method: route.method,
    key: credential,
    ...(body === undefined || route.method === 'GET'
      ? {}
      : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });

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
async function stateOf({ owner, keyId, key, requestId, orderId }: Belongings) {
  const keys = await (await owner.fetch('/api-keys')).json();
  const credits = await owner.json(`/credits/${keyId}`);
  const usage = await (await service.fetch(`/v1/usage/${requestId}`, { key })).json();
  return { keys, credits, usage, order: await owner.json(`/api/orders/${orderId}`) };
}

it('every route that knows who asks has been thought of', () => {
  expect(routes.map(([, { endpoint }]) => endpoint).filter((endpoint) => !(endpoint in REACHES))).toEqual([]);
});

describe.each(routes)('%s', (_name, route) => {
  const { path, body } = REACHES[route.endpoint] ?? {};

  it('takes no other credential than its own kind', async () => {
    const target = path?.(mine) ?? route.path;
    const wrong = route.authentication === 'session' ? mine.key : mine.owner.session;
    const credentials = [null, 'nonsense', ...(route.endpoint === 'get-credits' ? [] : [wrong])];
    for (const credential of credentials) {
      const response = await send(route, target, credential, body);
      expect(response.status).toBe(401);
      expect(((await response.json()) as { error: object }).error).toMatchObject({
        type: 'authentication_error',
      });
    }
  });

  it('shows and changes nothing of another account, and does not tell what is there from what is not', async () => {
    for (const [asker, other] of [
      [mine, theirs],
      [theirs, mine],
    ] as const) {
      const before = await stateOf(other);
      for (const credential of credentialsFor(route, asker)) {
        const response = await send(route, path?.(other) ?? route.path, credential, body);
        const text = anonymous(await response.text());
        if (path === undefined) {
          expect(response.ok).toBe(true);
          for (const own of [other.accountId, other.keyId, other.orderId, other.requestId])
            expect(text).not.toContain(own);
        } else {
          const missing = await send(route, path(NOBODYS), credential, body);
          expect([response.status, text]).toEqual([404, anonymous(await missing.text())]);
          expect(missing.status).toBe(404);
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
