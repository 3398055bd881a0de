/** Every operation on webhooks with a session of the account's owner, on the real stores. */
import { paginateScan } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DynamoSessionStore } from '../../lambdas/adapters/access/session-store.ts';
import { createSessionTokens } from '../../lambdas/adapters/access/session-tokens.ts';
import { systemUlid } from '../../lambdas/adapters/system/system.ts';
import { createResolve } from '../../lambdas/adapters/webhooks/address-guard.ts';
import { newSigningSecret } from '../../lambdas/adapters/webhooks/new-secret.ts';
import { WEBHOOK_ROUTES } from '../../lambdas/contract/webhook-routes.ts';
import { formatKey } from '../../lambdas/core/access/api-key.ts';
import { Sessions } from '../../lambdas/core/access/session.ts';
import { ServiceError } from '../../lambdas/core/errors.ts';
import type { Endpoint } from '../../lambdas/core/ports.ts';
import { createWebhook } from '../../lambdas/endpoints/create-webhook/endpoint.ts';
import { deleteWebhook } from '../../lambdas/endpoints/delete-webhook/endpoint.ts';
import { getWebhook } from '../../lambdas/endpoints/get-webhook/endpoint.ts';
import { listDeliveries } from '../../lambdas/endpoints/list-deliveries/endpoint.ts';
import { listWebhooks } from '../../lambdas/endpoints/list-webhooks/endpoint.ts';
import { recoverWebhook } from '../../lambdas/endpoints/recover-webhook/endpoint.ts';
import { redeliverWebhook } from '../../lambdas/endpoints/redeliver-webhook/endpoint.ts';
import { rotateWebhookSecret } from '../../lambdas/endpoints/rotate-webhook-secret/endpoint.ts';
import { testWebhook } from '../../lambdas/endpoints/test-webhook/endpoint.ts';
import { updateWebhook } from '../../lambdas/endpoints/update-webhook/endpoint.ts';
import { type Platform, startPlatform } from '../adapters/webhooks/platform.ts';
import { openAccount, openLedger, SILENT, secretOf } from '../core/ledger/running-ledger.ts';

const PEPPERS = { current: 'the pepper of these tests' };
const URL_OF_NOBODY = 'http://127.0.0.1:9/';

let platform: Platform;
let sessions: Sessions;
let endpoints: Readonly<Record<string, Endpoint>>;

type Operation = (typeof WEBHOOK_ROUTES)[number]['endpoint'];

/** The body of each operation, and the status of its success. */
const OPERATIONS: Readonly<Record<Operation, { readonly status: number; readonly body?: object }>> = {
  'create-webhook': { status: 201, body: { url: URL_OF_NOBODY, events: ['review.created'] } },
  'list-webhooks': { status: 200 },
  'get-webhook': { status: 200 },
  'update-webhook': { status: 200, body: { events: ['payout.paid'] } },
  'rotate-webhook-secret': { status: 200 },
  'test-webhook': { status: 202, body: {} },
  'list-deliveries': { status: 200 },
  'redeliver-webhook': { status: 202 },
  'recover-webhook': { status: 202, body: { since: '2026-01-01T00:00:00Z' } },
  'delete-webhook': { status: 200 },
};
const operations = Object.keys(OPERATIONS) as Operation[];
/** Those whose path names a webhook. */
const named = operations.filter((name) => name !== 'create-webhook' && name !== 'list-webhooks');

beforeAll(async () => {
  platform = await startPlatform();
  const { database, subscriptions, secrets, deliveries, events, triggers } = platform;
  const clock = () => platform.time.nowMs;
  sessions = new Sessions({
    tokens: createSessionTokens(async () => ({ current: 'the key that signs sessions here' }), clock),
    store: new DynamoSessionStore(database.client, database.tables.sessions),
    clock,
    ulid: systemUlid,
    most: 4,
  });
  const { gate } = openLedger({ clients: database, clock });
  const all = {
    ...{ peppers: async () => PEPPERS, gate, sessions, clock, ulid: systemUlid, newSecret: newSigningSecret },
    ...{
      subscriptions,
      secrets,
      deliveries,
      events,
      triggers,
      allowLoopback: true,
      resolve: createResolve(),
    },
  };
  endpoints = {
    'create-webhook': createWebhook(all),
    'list-webhooks': listWebhooks(all),
    'get-webhook': getWebhook(all),
    'update-webhook': updateWebhook(all),
    'rotate-webhook-secret': rotateWebhookSecret(all),
    'test-webhook': testWebhook(all),
    'list-deliveries': listDeliveries(all),
    'redeliver-webhook': redeliverWebhook(all),
    'recover-webhook': recoverWebhook(all),
    'delete-webhook': deleteWebhook(all),
  };
}, 60_000);
afterAll(() => platform.close());

interface Belongings {
  readonly key: string;
  readonly session: string;
  readonly webhookId: string;
  readonly deliveryId: string;
}

/** An answer's status and body; `limited` when it has a key's limits. */
async function call(operation: Operation, credential: string, of: Partial<Belongings> = {}) {
  const { body } = OPERATIONS[operation];
  const json = { 'content-type': 'application/json' };
  const request = new Request('https://service.test/', {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${credential}`, ...(body === undefined ? {} : json) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const context = {
    requestId: `req_${systemUlid()}`,
    remainingTimeMs: () => 60_000,
    pathParameters: { id: of.webhookId ?? '', delivery_id: of.deliveryId ?? '' },
    log: SILENT,
  };
  try {
    const response = (await endpoints[operation]?.(request, context)) as Response;
    const answer = (await response.json()) as { readonly id: string };
    return { status: response.status, limited: isLimited(response.headers), answer };
  } catch (failure) {
    if (!(failure instanceof ServiceError)) throw failure;
    const { status, code, message } = failure;
    return { status, limited: isLimited(new Headers(failure.headers)), code, message };
  }
}

const isLimited = (headers: Headers): boolean =>
  [...headers.keys()].some((name) => name.startsWith('x-ratelimit-'));

/** A new account with a key, a session, a webhook and a delivery of it. */
async function newBelongings(): Promise<Belongings> {
  const { accountId, keys } = await openAccount(platform.database.client, 1n, {});
  const [{ keyId }] = keys;
  const key = formatKey({ accountId, keyId, secret: secretOf(keyId) }, PEPPERS);
  const session = await sessions.begin(accountId, 3600);
  const webhook = await call('create-webhook', key);
  const webhookId = webhook.answer?.id ?? '';
  const delivery = await call('test-webhook', key, { webhookId });
  return { key, session, webhookId, deliveryId: delivery.answer?.id ?? '' };
}

/** A replacer that writes attributes by name: the engine gives them in any order. */
const inOrder = (_name: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;

/** All that is stored in these tables, and how many deliveries are asked for. */
async function stored(...tables: readonly ('webhooks' | 'events' | 'deliveries' | 'keys')[]) {
  const { client, tables: names } = platform.database;
  const items: string[] = [];
  for (const table of tables)
    for await (const { Items = [] } of paginateScan({ client }, { TableName: names[table] }))
      items.push(...Items.map((item) => JSON.stringify(item, inOrder)));
  return { items: items.sort(), waiting: platform.waiting('deliveries') + platform.waiting('retries') };
}
const all = () => stored('webhooks', 'events', 'deliveries', 'keys');

it('the operations are all that the route table has', () => {
  expect(operations.toSorted()).toEqual(WEBHOOK_ROUTES.map(({ endpoint }) => endpoint).sort());
});

describe.each(operations)('%s', (operation) => {
  const { status } = OPERATIONS[operation];

  it('is done for the owner of the account as for its key, and takes none of the key’s requests', async () => {
    const own = await newBelongings();
    const before = await stored('keys');
    const answered = await call(operation, own.session, own);
    expect([answered.status, answered.limited]).toEqual([status, false]);
    expect((await stored('keys')).items).toEqual(before.items);
    const other = await newBelongings();
    expect(await call(operation, other.key, other)).toMatchObject({ status, limited: true });
  });

  it('is refused with 401 when the session has ended, and writes nothing', async () => {
    const own = await newBelongings();
    const session = await sessions.verify(own.session);
    if (session === undefined) throw new Error('no session');
    await sessions.end(session, false);
    const before = await all();
    const refused = await call(operation, own.session, own);
    expect(refused).toMatchObject({ status: 401, code: 'invalid_session', limited: false });
    expect(await all()).toEqual(before);
  });
});

describe.each(named)('%s of another account', (operation) => {
  it('is 404 to a session, as for what does not exist, and writes nothing', async () => {
    const [own, other] = [await newBelongings(), await newBelongings()];
    const before = await all();
    const known = await call(operation, own.session, other);
    const unknown = await call(operation, own.session, { webhookId: 'wh_0', deliveryId: 'dlv_0' });
    expect(known).toMatchObject({ status: 404, code: 'not_found', limited: false });
    expect(known).toEqual(unknown);
    expect(await all()).toEqual(before);
  });
});

it('the list has the webhooks of the session’s account only, those made with its key as well', async () => {
  const [own, other] = [await newBelongings(), await newBelongings()];
  const made = await call('create-webhook', own.session);
  const { answer } = await call('list-webhooks', own.session);
  const { data } = answer as unknown as { readonly data: readonly { readonly id: string }[] };
  expect(data.map(({ id }) => id)).toEqual([own.webhookId, made.answer?.id].sort());
  expect(data.map(({ id }) => id)).not.toContain(other.webhookId);
});

it('a session goes on where a key has no request left', async () => {
  const own = await newBelongings();
  const spent = async (): Promise<number> => {
    for (let calls = 0; calls < 200; calls += 1)
      if ((await call('list-webhooks', own.key)).status === 429) return calls;
    throw new Error('the key has no limit');
  };
  expect(await spent()).toBeGreaterThan(90);
  expect(await call('list-webhooks', own.session)).toMatchObject({ status: 200, limited: false });
  expect(await call('list-webhooks', own.key)).toMatchObject({ status: 429, limited: true });
});
