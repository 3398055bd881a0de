import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '../../tools/test-kit/waiting.ts';
import { oneService } from './one-service.ts';
import { OtlpReceiver } from './otlp-receiver.ts';
import { Owner } from './owner.ts';

/** Words that stand for what no receiver may get. */
const PROMPT = 'canaryprompt51ce';
const IDEMPOTENCY_KEY = 'canary-idempotency-8d';
const HEADER = 'canary-header-90ab';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

const service = oneService({ WEBHOOK_ALLOW_LOOPBACK: '1', LAYOUTS: 'first' });
const receivers = new Map<string, OtlpReceiver>();

interface Account {
  readonly owner: Owner;
  readonly id: string;
  readonly key: string;
  readonly receiver: OtlpReceiver;
}

interface Destination {
  readonly status: string;
  readonly last_error: { readonly outcome: string; readonly response_status: number | null } | null;
}

async function startReceiver(name: string): Promise<OtlpReceiver> {
  const receiver = new OtlpReceiver();
  await receiver.start();
  receivers.set(name, receiver);
  return receiver;
}

const set = (owner: Owner, fields: object) => owner.send('PUT', '/api/v1/telemetry', fields);

/** An account with credit, whose calls go to a receiver of its own. */
async function open(name: string): Promise<Account> {
  const owner = await Owner.open(service);
  await service.admin('credit', 'grant', '--account', owner.id, '--amount', '5');
  const { key } = await owner.createKey({ name, policy: { rpm: 100_000 } });
  const receiver = await startReceiver(name);
  const headers = { authorization: `Bearer ${HEADER}` };
  const response = await until(
    () => set(owner, { url: receiver.url, headers, attribute_names: 'both' }),
    ({ status }) => status !== 409,
  );
  expect(await response.json()).toMatchObject({ status: 'active', header_names: ['authorization'] });
  return { owner, id: owner.id, key, receiver };
}

const chat = ({ key }: Account, fields: object = {}, headers: Record<string, string> = {}) =>
  service
    .chat(
      { model: 'sim/chat', messages: [{ role: 'user', content: `Repeat exactly: ${PROMPT}` }], ...fields },
      { key, headers },
    )
    .then(async (response) => ({ status: response.status, text: await response.text() }));

/** The calls of an account as the ledger has them. */
async function ledgerOf({ key }: Account) {
  const all: { id: string; cost: number; unit: string; input_units: number; output_units: number }[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await service.fetch(`/v1/usage?limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`, {
      key,
    });
    const { data, next_cursor: next } = (await page.json()) as {
      data: typeof all;
      next_cursor: string | null;
    };
    all.push(...data);
    cursor = next;
  }
  return {
    ids: all.map(({ id }) => id).sort(),
    cost: all.reduce((total, { cost }) => total + BigInt(Math.round(cost * 1e9)), 0n),
    input: all.reduce((total, call) => total + call.input_units, 0),
    output: all.reduce((total, call) => total + call.output_units, 0),
  };
}

/** The same by the spans of an account at a receiver. */
function exportedOf({ spans }: OtlpReceiver, accountId: string) {
  const calls = [...spans.values()]
    .filter(({ kind, attributes }) => kind === 2 && attributes['unified_inference.account.id'] === accountId)
    .map(({ attributes }) => attributes);
  const sum = (name: string) => calls.reduce((total, call) => total + Number(call[name] ?? 0), 0);
  return {
    ids: calls.map((call) => String(call['unified_inference.request.id'])).sort(),
    cost: BigInt(sum('unified_inference.cost.nano_usd')),
    input: sum('gen_ai.usage.input_tokens'),
    output: sum('gen_ai.usage.output_tokens'),
  };
}

let operators: OtlpReceiver;
let account: Account;

beforeAll(async () => {
  operators = await startReceiver('operator');
  const owner = await Owner.open(service);
  const early = await set(owner, { url: operators.url });
  expect([early.status, await early.text()]).toEqual([409, expect.stringContaining('upgrade_unfinished')]);
  await expect(service.admin('telemetry', 'set', '--url', operators.url)).rejects.toThrow('layout finish');
  await service.admin('layout', 'finish');
  const file = join(service.directory, 'headers.json');
  writeFileSync(file, JSON.stringify({ 'x-api-key': HEADER }));
  await service.admin('telemetry', 'set', '--url', operators.url, '--headers', file);
  account = await open('well');
});

afterAll(async () => {
  for (const receiver of receivers.values()) await receiver.stop();
});

describe('telemetry', () => {
  it('sums up to the ledger, over failures, failover, replays and a restart of the receivers', async () => {
    const others = await open('others');
    const calls = (count: number) =>
      Promise.all(
        Array.from({ length: count }, (_, index) =>
          chat(index % 3 === 0 ? others : account, {
            stream: index % 2 === 0,
            ...(index % 10 === 7 ? { model: 'sim/chat-failover' } : {}),
          }),
        ),
      );
    await calls(100);
    await service.fault({ status: 500 }, {}, 12);
    await calls(20);
    await service.endFaults();
    for (const receiver of [operators, account.receiver]) await receiver.stop();
    await calls(60);
    for (let times = 0; times < 3; times += 1)
      await chat(
        account,
        {},
        { 'idempotency-key': IDEMPOTENCY_KEY, traceparent: `00-${TRACE}-00f067aa0ba902b7-01` },
      );
    for (const receiver of [operators, account.receiver]) await receiver.start();
    await calls(60);
    for (const each of [account, others]) {
      const ledger = await ledgerOf(each);
      expect(ledger.ids.length).toBeGreaterThan(70);
      for (const receiver of [operators, each.receiver])
        expect(
          await until(
            () => exportedOf(receiver, each.id),
            ({ ids }) => ids.length >= ledger.ids.length,
          ),
        ).toEqual(ledger);
      const { ids: _ids, ...sums } = ledger;
      await until(
        () => each.receiver.sums.cost,
        (cost) => cost >= sums.cost,
      );
      expect(each.receiver.sums).toEqual(sums);
    }
    const [joined, ...more] = [...account.receiver.spans.values()].filter(
      ({ kind, traceId }) => kind === 2 && traceId === TRACE,
    );
    expect([joined?.parentId, more]).toEqual(['00f067aa0ba902b7', []]);
  });

  it('leaves no content, key or header value with a receiver, and no header value in a response or a log', async () => {
    const received = Buffer.concat(
      [...receivers.values()].flatMap(({ requests }) => requests.map(({ body }) => body)),
    );
    expect(received.includes((await ledgerOf(account)).ids[0] ?? '')).toBe(true);
    for (const canary of [PROMPT, IDEMPOTENCY_KEY, HEADER, account.key, account.key.slice(-40), '127.0.0.1'])
      expect([canary, received.includes(canary)]).toEqual([canary, false]);
    expect(account.receiver.requests[0]?.headers.authorization).toBe(`Bearer ${HEADER}`);
    expect(operators.requests[0]?.headers['x-api-key']).toBe(HEADER);
    const shown = [await account.owner.json('/api/v1/telemetry'), await service.admin('telemetry', 'show')];
    expect(shown).toMatchObject([{ header_names: ['authorization'] }, { header_names: ['x-api-key'] }]);
    expect(JSON.stringify(shown) + service.output).not.toContain(HEADER);
  });

  it('rejects addresses that webhooks reject', async () => {
    for (const url of [
      'http://example.com',
      'https://10.0.0.1',
      'https://169.254.169.254/x',
      'https://u:p@a.example',
    ])
      expect([url, (await set(account.owner, { url })).status]).toEqual([url, 400]);
  });
});

describe('a receiver that misbehaves', () => {
  it('delays neither calls nor the telemetry of others, and its state shows it', async () => {
    let followed = 0;
    const target = createServer((_request, response) => {
      followed += 1;
      response.end();
    }).listen(0);
    const { port } = target.address() as { port: number };
    const silent = await open('silent');
    silent.receiver.behavior = () => {};
    const endless = await open('endless');
    endless.receiver.behavior = (response) => {
      const timer = setInterval(() => response.write('x'), 20);
      response.once('close', () => clearInterval(timer));
    };
    const redirecting = await open('redirecting');
    redirecting.receiver.behavior = (response) =>
      void response.writeHead(307, { location: `http://127.0.0.1:${port}/` }).end();
    const paused = await open('paused');
    paused.receiver.behavior = (response) => void response.writeHead(503, { 'retry-after': '3600' }).end();
    for (const each of [silent, endless, redirecting, paused]) expect((await chat(each)).status).toBe(200);
    const startedMs = Date.now();
    expect((await chat(account)).status).toBe(200);
    const { ids } = await ledgerOf(account);
    await until(
      () => exportedOf(account.receiver, account.id).ids.length,
      (count) => count === ids.length,
    );
    expect(Date.now() - startedMs).toBeLessThan(5_000);
    const shown = (each: Account) =>
      until(
        () => each.owner.json<Destination & Record<string, unknown>>('/api/v1/telemetry'),
        ({ last_error: error }) => error !== null,
      );
    expect(await shown(silent)).toMatchObject({ status: 'failing', last_error: { outcome: 'timeout' } });
    expect(await shown(endless)).toMatchObject({ status: 'failing', last_error: { outcome: 'timeout' } });
    expect(await shown(redirecting)).toMatchObject({
      last_error: { outcome: 'status', response_status: 307 },
      batches: { dropped: 1 },
    });
    expect(await shown(paused)).toMatchObject({
      last_error: { outcome: 'status', response_status: 503 },
      batches: { pending: 1 },
    });
    expect(followed).toBe(0);
    // Spans alone were refused for now, so metrics wait with them.
    expect(paused.receiver.requests.map(({ path }) => path)).toEqual(['/v1/traces']);
    target.close();
  });

  it('gets nothing once it is removed', async () => {
    expect((await account.owner.send('DELETE', '/api/v1/telemetry')).status).toBe(200);
    for (const method of ['GET', 'DELETE'])
      expect((await account.owner.send(method, '/api/v1/telemetry')).status).toBe(404);
    expect(await service.admin('telemetry', 'remove')).toEqual({ removed: true });
  });
});
