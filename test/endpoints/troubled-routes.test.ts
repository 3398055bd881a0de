import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { formatKey } from '../../lambdas/access/core/keys/api-key.ts';
import { DynamoReplayStore } from '../../lambdas/inference/store/replay-store.ts';
import { createBreaker } from '../../lambdas/inference/testing/circuit/memory-circuits.ts';
import {
  ledgerOf,
  openAccount,
  openLedger,
  secretOf,
  type TestAccount,
} from '../../lambdas/ledger/testing/running-ledger.ts';
import { ConnectionPool } from '../../lambdas/platform/connections/connection-pool.ts';
import { createExchange } from '../../lambdas/platform/connections/http-exchange.ts';
import { createUpstreamFetch } from '../../lambdas/platform/connections/upstream-fetch.ts';
import { systemClock } from '../../lambdas/platform/system/system.ts';
import { Upstream } from '../../lambdas/platform/testing/connections/upstream.ts';
import { startDatabase, type TestDatabase } from '../../tools/test-kit/engine.ts';
import {
  modelOf,
  PEPPERS,
  routeTo,
  type Service,
  startService,
  TOKEN_PRICE,
} from '../fuzz/running-service.ts';

const CREDIT = 1_000_000_000n;
/** At the prices below. */
const COST = 30_000n;

const RESPONSE = JSON.stringify({
  id: 'x',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 },
});
const EVENTS = `data: ${RESPONSE.replace('"message"', '"delta"').replace('completion"', 'completion.chunk"')}\n\ndata: [DONE]\n\n`;

const wireOf = (status: string, body: string, headers: Readonly<Record<string, string>> = {}): string =>
  [
    `HTTP/1.1 ${status}`,
    ...Object.entries({ 'content-length': String(Buffer.byteLength(body)), ...headers }).map(
      ([name, value]) => `${name}: ${value}`,
    ),
    '',
    body,
  ].join('\r\n');

const responseOf = (stream: boolean): string =>
  stream
    ? wireOf('200 OK', EVENTS, { 'content-type': 'text/event-stream' })
    : wireOf('200 OK', RESPONSE, { 'content-type': 'application/json' });

const limited = (headers: Readonly<Record<string, string>> = {}): string =>
  wireOf('429 Too Many Requests', JSON.stringify({ error: { type: 'requests' } }), headers);

let engine: TestDatabase;
const open: { stop(): Promise<unknown> }[] = [];

beforeAll(async () => {
  engine = await startDatabase();
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.stop()));
});
afterAll(() => engine.stop());

/** An upstream that answers each request with the bytes given; with none it resets the connection. */
async function upstreamThat(
  respond: (request: number, ofConnection: number, body: string) => string | undefined,
) {
  const upstream: Upstream = await Upstream.start(({ socket, requestOfConnection }) => {
    const bytes = respond(upstream.requests, requestOfConnection, upstream.bodies.at(-1) ?? '');
    if (bytes === undefined) socket.resetAndDestroy();
    else socket.write(bytes);
  });
  open.push(upstream);
  return upstream;
}

/** The service with one model whose routes lead to these upstreams, in this order, and an account. */
async function serviceOver(upstreams: readonly Upstream[]) {
  const routes = upstreams.map(({ origin }, index) =>
    routeTo(origin, 'openai', { id: `route-${index + 1}`, priority: index, capabilities: ['stream'] }),
  );
  const model = modelOf('a/b', 'chat', TOKEN_PRICE, { routes });
  const time = { aheadMs: 0 };
  const events: string[] = [];
  let repeated = 0;
  const exchange = createExchange(new ConnectionPool(), () => {
    repeated += 1;
  });
  const service: Service = await startService(
    {
      ...openLedger({ clients: engine, clock: systemClock }),
      store: new DynamoReplayStore(engine.client, engine.tables.replays),
    },
    {
      fetch: createUpstreamFetch(exchange),
      bedrockClient: () => {
        throw new Error('no route is of Bedrock');
      },
      catalog: () => ({ models: [model] }),
    },
    createBreaker({ clock: () => systemClock() + time.aheadMs, count: (event) => events.push(event) }),
  );
  open.push(service);
  const account = await openAccount(engine.client, CREDIT, {});
  return {
    account,
    events,
    repeated: () => repeated,
    /** Moves the breaker's clock. */
    advance: (ms: number) => {
      time.aheadMs += ms;
    },
    call: (stream = false) => chat(service, account, stream),
  };
}

async function chat(service: Service, { accountId, keys: [{ keyId }] }: TestAccount, stream: boolean) {
  const credential = formatKey({ accountId, keyId, secret: secretOf(keyId) }, PEPPERS);
  const response = await service.send('chat', {
    headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'a/b',
      max_tokens: 20,
      stream,
      messages: [{ role: 'user', content: 'Hi' }],
    }),
  });
  const text = await response.text();
  return { status: response.status, route: response.headers.get('x-route'), headers: response.headers, text };
}

/** This many calls were billed, each once; nothing is held. */
async function expectBilled(account: TestAccount, calls: number): Promise<void> {
  const { wallet, records, audit } = await ledgerOf(engine.client, account);
  expect(records.filter(({ cost }) => cost > 0n).map(({ cost }) => cost)).toEqual(Array(calls).fill(COST));
  expect(wallet).toMatchObject({ balance: CREDIT - BigInt(calls) * COST, holds: [] });
  expect(audit).toMatchObject({ exact: true, held: 0n });
}

describe('a route that resets the second request of each connection', () => {
  it.each([false, true])(
    'serves every call, opens no circuit, and no call is billed twice: stream %s',
    async (stream) => {
      const upstream = await upstreamThat((_, ofConnection) =>
        ofConnection === 1 ? responseOf(stream) : undefined,
      );
      const { account, events, repeated, call } = await serviceOver([upstream]);
      for (let calls = 0; calls < 6; calls += 1)
        expect(await call(stream)).toMatchObject({ status: 200, route: 'route-1' });
      expect(repeated()).toBe(5);
      expect(events).toEqual([]);
      await expectBilled(account, 6);
    },
  );
});

describe('a route that returns 429 twenty times before it serves', () => {
  const TIMES = 20;

  it('passes each call to the next route, and receives calls again as soon as it serves', async () => {
    const first = await upstreamThat((request) =>
      request <= TIMES ? limited({ 'retry-after': '1' }) : responseOf(false),
    );
    const second = await upstreamThat(() => responseOf(false));
    const { account, events, advance, call } = await serviceOver([first, second]);
    for (let calls = 0; calls < TIMES; calls += 1) {
      expect(await call()).toMatchObject({ status: 200, route: 'route-2' });
      // For as long as it asked it is left alone.
      expect(await call()).toMatchObject({ status: 200, route: 'route-2' });
      advance(1_000);
    }
    expect(first.requests).toBe(TIMES);
    expect(await call()).toMatchObject({ status: 200, route: 'route-1' });
    expect(events).toEqual([]);
    await expectBilled(account, 2 * TIMES + 1);
  });

  it('passes concurrent calls to the next route too', async () => {
    let isLimited = true;
    const first = await upstreamThat(() => (isLimited ? limited() : responseOf(false)));
    const second = await upstreamThat(() => responseOf(false));
    const { account, events, advance, call } = await serviceOver([first, second]);
    const responses = await Promise.all(Array.from({ length: TIMES }, () => call()));
    expect(new Set(responses.map(({ status, route }) => `${status} ${route}`))).toEqual(
      new Set(['200 route-2']),
    );
    isLimited = false;
    // It did not say for how long.
    advance(5_000);
    expect(await call()).toMatchObject({ status: 200, route: 'route-1' });
    expect(events).toEqual([]);
    await expectBilled(account, TIMES + 1);
  });

  it('states in each response when to retry if no other route exists, and serves the call after that', async () => {
    const retryAfter = (seconds: number) => new Date(Date.now() + seconds * 1_000).toUTCString();
    const upstream = await upstreamThat((request) =>
      request <= TIMES ? limited({ 'retry-after': retryAfter(request) }) : responseOf(false),
    );
    const { account, events, advance, call } = await serviceOver([upstream]);
    for (let calls = 1; calls <= TIMES; calls += 1) {
      const { status, headers, text } = await call();
      expect([status, JSON.parse(text)]).toMatchObject([503, { error: { code: 'all_routes_failed' } }]);
      // Whole seconds, and the time of a call.
      expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(Math.max(1, calls - 2));
      expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(calls + 1);
      advance(60_000);
    }
    expect(await call()).toMatchObject({ status: 200, route: 'route-1' });
    expect(events).toEqual([]);
    await expectBilled(account, 1);
  });
});

describe('a route whose account has nothing left to spend', () => {
  it('returns 429 too, but opens its circuit like any failing route', async () => {
    const exhausted = JSON.stringify({ error: { type: 'insufficient_quota', code: 'insufficient_quota' } });
    const first = await upstreamThat(() => wireOf('429 Too Many Requests', exhausted));
    const second = await upstreamThat(() => responseOf(false));
    const { account, events, call } = await serviceOver([first, second]);
    for (let calls = 0; calls < 6; calls += 1)
      expect(await call()).toMatchObject({ status: 200, route: 'route-2' });
    expect(first.requests).toBe(5);
    expect(events.filter((event) => event === 'routeFailed')).toHaveLength(5);
    expect(events).toContain('circuitOpened');
    await expectBilled(account, 6);
  });
});
