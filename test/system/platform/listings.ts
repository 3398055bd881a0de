import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '../../../tools/test-kit/waiting.ts';
import { Owner } from '../owner.ts';
import { service } from './service.ts';

/** First calls start functions, and the operator's command a process: on a busy machine each takes seconds. */
interface Entry {
  readonly id: string;
  readonly slug: string;
  readonly [field: string]: unknown;
}
interface Page {
  readonly data: readonly Entry[];
  readonly next_cursor: string | null;
}
interface Event {
  readonly id: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

let owner: Owner;
let visitor: Owner;
let receiver: Server;
const events: Event[] = [];

interface Call {
  readonly method?: string;
  readonly as?: Owner;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request, and its answer as JSON. */
async function call(path: string, { method = 'GET', as, body, headers = {} }: Call = {}) {
  const response = await service.fetch(path, {
    method,
    key: null,
    headers: {
      ...(as === undefined ? {} : { authorization: `Bearer ${as.session}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const json = (await response.json()) as Entry & Page & { error?: Record<string, unknown> };
  return {
    status: response.status,
    etag: response.headers.get('etag') ?? '',
    json,
    headers: response.headers,
  };
}

let created = 0;
const fields = (overrides: object = {}) => {
  created += 1;
  return {
    name: `Product ${created}`,
    slug: `product-${created}`,
    summary: 'A summary.',
    description: 'A description.',
    category: 'productivity',
    tags: ['one', 'two'],
    version: '1.0.0',
    price: null,
    url: 'https://example.com/product',
    icon_url: 'https://example.com/icon.png',
    ...overrides,
  };
};

const create = async (overrides: object = {}, collection = 'apps') =>
  (await call(`/${collection}`, { method: 'POST', as: owner, body: fields(overrides) })).json;

const read = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
};

beforeAll(async () => {
  [owner, visitor] = [await Owner.open(service), await Owner.open(service)];
  await service.admin('credit', 'grant', '--account', visitor.id, '--amount', '5');
  receiver = createServer(async (request, response) => {
    events.push(JSON.parse(await read(request)) as Event);
    response.end();
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => receiver.once('listening', resolve));
  const types = ['listing.installed', 'review.created', 'release.created', 'release.rolled_back'];
  const subscribed = await owner.send('POST', '/api/v1/webhooks', {
    url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/events`,
    events: [...types, 'purchase.completed'],
  });
  expect(subscribed.status).toBe(201);
});

afterAll(async () => {
  receiver?.close();
});

describe.each([
  ['apps', 'app'],
  ['ai-agents', 'ai-agent'],
])('/%s', (collection, kind) => {
  it('makes, shows, changes and removes a listing with exactly the fields of the contract', async () => {
    const body = fields({ price: { amount: 1999, currency: 'USD' } });
    const created = await call(`/${collection}`, { method: 'POST', as: owner, body });
    expect(created).toMatchObject({ status: 201, json: { ...body, kind, owner_id: owner.id, installs: 0 } });
    expect(Object.keys(created.json).sort()).toEqual(
      [
        'id',
        'kind',
        'name',
        'slug',
        'summary',
        'description',
        'category',
        'tags',
        'version',
        'price',
        'plans',
        'url',
        'icon_url',
        'seller',
        'contact',
        'owner_id',
        'installs',
        'rating',
        'created',
        'updated',
      ].sort(),
    );
    const path = `/${collection}/${created.json.id}`;
    expect(created.headers.get('location')).toBe(path);
    expect(await call(path)).toMatchObject({ status: 200, etag: created.etag, json: created.json });
    const other = collection === 'apps' ? 'ai-agents' : 'apps';
    expect((await call(`/${other}/${created.json.id}`)).status).toBe(404);
    const changed = await call(path, { method: 'PUT', as: owner, body: { summary: 'Another.' } });
    expect(changed).toMatchObject({ status: 200, json: { ...body, summary: 'Another.' } });
    expect(changed.etag).not.toBe(created.etag);
    expect(await call(path, { method: 'DELETE', as: owner })).toMatchObject({
      status: 200,
      json: { id: created.json.id, deleted: true },
    });
    expect((await call(path)).status).toBe(404);
  });

  it.each([
    ['the query', (id: string) => ({ query: `?id=${id}`, inBody: {} })],
    ['the body', (id: string) => ({ query: '', inBody: { id } })],
  ])('accepts changes and deletion on the collection too, by an id in %s', async (_place, placeOf) => {
    const { id } = await create({}, collection);
    const { query, inBody } = placeOf(id);
    const path = `/${collection}${query}`;
    const changed = await call(path, { method: 'PUT', as: owner, body: { ...inBody, summary: 'Another.' } });
    expect(changed).toMatchObject({ status: 200, json: { id, summary: 'Another.' } });
    const removal = { method: 'DELETE', body: inBody };
    expect((await call(path, { ...removal, as: visitor })).status).toBe(403);
    expect(await call(path, { ...removal, as: owner })).toMatchObject({ status: 200, json: { id } });
    expect((await call(`/${collection}/${id}`)).status).toBe(404);
    expect((await call(path, { ...removal, as: owner })).status).toBe(404);
    const withoutId = await call(`/${collection}`, { method: 'DELETE', as: owner });
    expect(withoutId).toMatchObject({ status: 400, json: { error: { code: 'missing_field', param: 'id' } } });
  });

  it('pages through all of a category once, newest first', async () => {
    const category = `paged ${kind.replace('-', ' ')}`;
    const created: string[] = [];
    for (let count = 0; count < 5; count += 1) created.unshift((await create({ category }, collection)).id);
    const listings: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const query = new URLSearchParams({ category, limit: '2', ...(cursor === '' ? {} : { cursor }) });
      const { json } = await call(`/${collection}?${query}`);
      expect(json.data.length).toBeLessThanOrEqual(2);
      listings.push(...json.data.map(({ id }) => id));
      cursor = json.next_cursor;
    }
    expect(listings).toEqual(created);
    const { json } = await call('/categories?limit=100');
    expect(json.data.find(({ name }) => name === category)).toMatchObject({ count: 5 });
  });
});

describe('writers of one listing', () => {
  it('exactly one succeeds if they send the same ETag, and the others are rejected', async () => {
    const { id } = await create();
    const { etag } = await call(`/apps/${id}`);
    const responses = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        call(`/apps/${id}`, {
          method: 'PUT',
          as: owner,
          headers: { 'if-match': etag },
          body: { summary: `Writer ${index}` },
        }),
      ),
    );
    const statuses = responses.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array.from({ length: 11 }, () => 409)]);
    const winner = responses.find(({ status }) => status === 200);
    expect((await call(`/apps/${id}`)).json.summary).toBe(winner?.json.summary);
    const stale = { method: 'DELETE', as: owner, headers: { 'if-match': etag } };
    expect(await call(`/apps/${id}`, stale)).toMatchObject({
      status: 409,
      json: { error: { type: 'conflict_error', code: 'conflict', param: 'If-Match' } },
    });
    expect((await call(`/apps/${id}`, { ...stale, headers: { 'if-match': 'nonsense' } })).status).toBe(400);
    expect((await call(`/apps/${id}`, { ...stale, headers: { 'if-match': '*' } })).status).toBe(200);
  });
});

describe('the validation of a request', () => {
  it.each([
    ['name', { name: '' }],
    ['name', { name: 'x'.repeat(81) }],
    ['slug', { slug: 'Not A Slug' }],
    ['slug', { slug: 'double--hyphen' }],
    ['summary', { summary: 'x'.repeat(161) }],
    ['description', { description: 'x'.repeat(10_001) }],
    ['category', { category: '<script>' }],
    ['tags[0]', { tags: ['#'] }],
    ['tags', { tags: ['same', 'same'] }],
    ['tags', { tags: Array.from({ length: 21 }, (_, index) => `t${index}`) }],
    ['version', { version: 'latest' }],
    ['price.amount', { price: { amount: 1.5, currency: 'USD' } }],
    ['price.amount', { price: { amount: -1, currency: 'USD' } }],
    ['price.currency', { price: { amount: 1, currency: 'BUCKS' } }],
    ['url', { url: 'javascript:alert(1)' }],
    ['url', { url: 'https://user:secret@example.com/' }],
    ['icon_url', { icon_url: 'http://example.com/icon.png' }],
    ['seller', { seller: 'Ada\u202e' }],
    ['contact', { contact: 'ada' }],
    ['contact', { contact: 'javascript:alert(1)' }],
    ['contact', { contact: 'mailto:ada@example.com?cc=all' }],
    ['contact', { contact: 'https://user:secret@example.com/' }],
  ])('returns 400 for an invalid %s', async (param, wrong) => {
    const response = await call('/apps', { method: 'POST', as: owner, body: fields(wrong) });
    expect(response).toMatchObject({ status: 400, json: { error: { param, code: 'invalid_value' } } });
  });

  it.each(['help@example.com', 'https://example.com/help'])(
    'accepts a contact of the seller: %s',
    async (contact) => {
      const shown = { seller: 'Ada & Co.', contact };
      const { id } = await create(shown);
      expect((await call(`/apps/${id}`)).json).toMatchObject(shown);
      const { json } = await call(`/apps/${id}`, { method: 'PUT', as: owner, body: { contact: null } });
      expect(json).toMatchObject({ seller: 'Ada & Co.', contact: null });
    },
  );

  it('shows neither a name nor a contact that the seller has not entered', async () => {
    const { id } = await create();
    expect((await call(`/apps/${id}`)).json).toMatchObject({ seller: null, contact: null });
  });

  it.each(['N', '\u65e5\u672c'])('accepts a name without a slug of its own: %s', async (name) => {
    const body = fields({ name, slug: undefined });
    const listings = await Promise.all([1, 2].map(() => call('/apps', { method: 'POST', as: owner, body })));
    expect(listings.map(({ status }) => status)).toEqual([201, 201]);
    for (const { json } of listings) expect(json.slug).toMatch(/^(n-)?[0-9a-z]{8}$/);
  });

  it.each(['name', 'summary', 'category'])('names the missing field: %s', async (param) => {
    const response = await call('/apps', { method: 'POST', as: owner, body: fields({ [param]: undefined }) });
    expect(response).toMatchObject({ status: 400, json: { error: { param, code: 'missing_field' } } });
  });

  it.each(['/apps', '/ai-agents', '/categories', '/search', '/trending'])(
    'rejects an invalid page limit: %s',
    async (path) => {
      for (const limit of ['0', '101', '-1', 'all'])
        expect((await call(`${path}?limit=${limit}`)).status).toBe(400);
      expect((await call(`${path}?limit=1`)).status).toBe(200);
    },
  );
});

describe('a listing in the marketplace', () => {
  const eventOf = async (type: string, id: unknown, data: object = {}) =>
    until(
      () =>
        events.find(
          (event) =>
            event.type === type &&
            event.data.listing_id === id &&
            Object.entries(data).every(([name, value]) => event.data[name] === value),
        ),
      (event) => event !== undefined,
    );

  it('counts one install of an account for repeated or concurrent requests', async () => {
    const { id } = await create();
    const path = `/apps/${id}/install`;
    const responses = await Promise.all(
      Array.from({ length: 6 }, () => call(path, { method: 'POST', as: visitor })),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 201]);
    expect(responses[0]?.json).toMatchObject({ listing_id: id, account_id: visitor.id });
    expect((await call(path, { method: 'POST', as: owner })).status).toBe(201);
    expect((await call(`/apps/${id}`)).json.installs).toBe(2);
    const { json } = await call('/api/v1/acquisitions', { as: visitor });
    expect(json.data.find(({ listing_id: listing }) => listing === id)).toMatchObject({
      installed: expect.any(Number),
      purchased: null,
      listing: { kind: 'app' },
    });
    const installed = { account_id: visitor.id };
    expect(await eventOf('listing.installed', id, installed)).toMatchObject({ data: installed });
  });

  it('accepts one review of each account, and shows the mean of the reviews as its rating', async () => {
    const { id } = await create();
    const other = await Owner.open(service);
    for (const as of [owner, visitor, other]) await call(`/apps/${id}/install`, { method: 'POST', as });
    const review = (as: Owner, rating: unknown) =>
      call(`/apps/${id}/reviews`, { method: 'POST', as, body: { rating, text: 'Fine.' } });
    expect((await review(visitor, 6)).status).toBe(400);
    expect((await review(visitor, 4)).status).toBe(201);
    expect((await review(visitor, 1)).status).toBe(409);
    expect((await review(other, 5)).status).toBe(201);
    expect(await review(owner, 5)).toMatchObject({ status: 403, json: { error: { code: 'not_customer' } } });
    expect((await call(`/apps/${id}`)).json.rating).toBe(4.5);
    const { json } = await call(`/apps/${id}/reviews`);
    expect(json.data.map(({ rating }) => rating)).toEqual([5, 4]);
    const reviewed = { reviewer_id: visitor.id, rating: 4 };
    expect(await eventOf('review.created', id, reviewed)).toMatchObject({ data: reviewed });
  });

  it('accepts a review only from an account that paid for it, and not for an install alone', async () => {
    const price = { amount: 100, currency: 'USD' };
    const [seller, buyer] = [await Owner.open(service), await Owner.open(service)];
    await buyer.buy(1);
    const { json: created } = await call('/apps', { method: 'POST', as: seller, body: fields({ price }) });
    const act = (what: string, body?: object) =>
      call(`/apps/${created.id}/${what}`, { method: 'POST', as: buyer, body });
    const denied = { status: 403, json: { error: { type: 'permission_error', code: 'not_customer' } } };
    expect(await act('reviews', { rating: 1 })).toMatchObject(denied);
    expect((await act('install')).status).toBe(201);
    expect(await act('reviews', { rating: 1 })).toMatchObject(denied);
    const { json: purchase } = await act('purchase', price);
    await call('/api/v1/refunds', { method: 'POST', as: seller, body: { charge: purchase.id } });
    expect(await act('reviews', { rating: 1 })).toMatchObject(denied);
    await act('purchase', price);
    expect((await act('reviews', { rating: 1 })).status).toBe(201);
  });

  it('follows its owner from release to release, and back to an earlier one', async () => {
    const { id } = await create();
    const release = (version: string) =>
      call(`/apps/${id}/releases`, { method: 'POST', as: owner, body: { version, notes: 'News.' } });
    expect((await release('1.1.0')).status).toBe(201);
    expect((await release('1.1.0')).status).toBe(409);
    expect((await call(`/apps/${id}`)).json.version).toBe('1.1.0');
    const back = (version: string) =>
      call(`/apps/${id}/releases/${version}/rollback`, { method: 'POST', as: owner });
    expect((await back('3.0.0')).status).toBe(404);
    expect((await back('1.1.0')).status).toBe(409);
    expect(await back('1.0.0')).toMatchObject({ status: 200, json: { version: '1.0.0' } });
    const { json } = await call(`/apps/${id}/releases`);
    expect(json.data.map(({ version }) => version)).toEqual(['1.1.0', '1.0.0']);
    expect(await eventOf('release.created', id)).toMatchObject({ data: { version: '1.1.0' } });
    expect(await eventOf('release.rolled_back', id)).toMatchObject({
      data: { version: '1.0.0', previous_version: '1.1.0' },
    });
  });

  it('costs a buyer its price once, to the cent, and leaves the ledger exact', async () => {
    const { id } = await create({ price: { amount: 150, currency: 'USD' } });
    const buy = (as: Owner, body: object = { amount: 150, currency: 'USD' }) =>
      call(`/apps/${id}/purchase`, { method: 'POST', as, body });
    expect(await buy(visitor, { amount: 1 })).toMatchObject({
      status: 409,
      json: { error: { type: 'conflict_error', code: 'price_changed', param: 'amount' } },
    });
    expect(await buy(visitor, {})).toMatchObject({
      status: 400,
      json: { error: { code: 'missing_field', param: 'amount' } },
    });
    const responses = await Promise.all(Array.from({ length: 4 }, () => buy(visitor)));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 200, 200, 201]);
    expect(new Set(responses.map(({ json }) => json.id)).size).toBe(1);
    const { json: acquired } = await call('/api/v1/acquisitions', { as: visitor });
    expect(acquired.data.find(({ listing_id: listing }) => listing === id)).toMatchObject({
      installed: null,
      purchased: expect.any(Number),
    });
    const { balance } = await service.admin<{ balance: unknown }>('wallet', 'show', '--account', visitor.id);
    expect([Number(balance), await owner.json('/api/v1/earnings')]).toMatchObject([
      3.5,
      { received: 1.5, fees: 0 },
    ]);
    expect(await eventOf('purchase.completed', id)).toMatchObject({
      data: { listing_id: id, buyer_id: visitor.id, amount: 150, currency: 'USD' },
    });
    expect(await buy(await Owner.open(service))).toMatchObject({
      status: 402,
      json: { error: { code: 'insufficient_credit' } },
    });
    expect(await service.admin('audit')).toMatchObject({ exact: true });
  });
});

describe('the search for listings', () => {
  it('returns listings by word and despite a typing error, filters them, and omits deleted ones', async () => {
    const { id } = await create({ name: 'Quokka Ledger', category: 'finance', tags: ['bookkeeping'] });
    const agent = await create({ name: 'Quokka Agent', summary: 'Reads a ledger.' }, 'ai-agents');
    const ids = async (query: string) => (await call(`/search?${query}`)).json.data.map((entry) => entry.id);
    const both = await until(
      () => ids('q=quokka'),
      (listings) => listings.length === 2,
    );
    expect(both.sort()).toEqual([id, agent.id].sort());
    expect(await ids('q=quoka%20ledgr')).toContain(id);
    expect(await ids('q=quokka&kind=ai-agent')).toEqual([agent.id]);
    expect(await ids('q=quokka&category=finance')).toEqual([id]);
    const first = await call('/search?q=quokka&limit=1');
    const second = await call(`/search?q=quokka&limit=1&cursor=${first.json.next_cursor}`);
    expect([first, second].flatMap(({ json }) => json.data.map((entry) => entry.id)).sort()).toEqual(both);
    expect(second.json.next_cursor).toBeNull();
    const owned = async (of: string) => (await ids(`q=quokka&owner_id=${of}`)).sort();
    expect(await owned(String(agent.owner_id))).toEqual(both);
    expect(await owned('acc_other')).toEqual([]);
    await call(`/apps/${id}`, { method: 'DELETE', as: owner });
    expect(
      await until(
        () => ids('q=quokka'),
        (listings) => listings.length === 1,
      ),
    ).toEqual([agent.id]);
    expect((await call('/search?kind=nothing')).status).toBe(400);
  });

  it('ranks trending listings by recent installs', async () => {
    const [much, little] = [await create({}, 'ai-agents'), await create({}, 'ai-agents')];
    await call(`/ai-agents/${little.id}/install`, { method: 'POST', as: visitor });
    for (const as of [owner, visitor]) await call(`/ai-agents/${much.id}/install`, { method: 'POST', as });
    const trending = async (query: string) =>
      (await call(`/trending?${query}`)).json.data.map(({ id }) => id);
    const listings = await until(
      () => trending('kind=ai-agent&window=7d'),
      ([first]) => first === much.id,
    );
    expect(listings.slice(0, 2)).toEqual([much.id, little.id]);
    const app = await create();
    await call(`/apps/${app.id}/install`, { method: 'POST', as: visitor });
    const apps = await until(
      () => trending('kind=app'),
      (ids) => ids.includes(app.id),
    );
    expect(apps).not.toContain(much.id);
    expect((await call('/trending?window=2y')).status).toBe(400);
  });
});
