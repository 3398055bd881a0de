/** The programs of `examples` that need Node alone, on one service. Those of other languages and clients are in the ring `clients`. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { parseCatalog } from '../../lambdas/inference/core/catalog/catalog-document.ts';
import { freePort } from '../../tools/local/process/free-port.ts';
import { until } from '../../tools/test-kit/waiting.ts';
import {
  expectCallsOfOpenAi,
  expectMissing,
  paidOutput,
  ROOT,
  runExample,
  USERS_NODE,
} from './example-run.ts';
import { oneService } from './one-service.ts';
import { Owner } from './owner.ts';

const ACME_KEY = 'canary-acme-key';
const service = oneService({
  COMPUTE: 'host',
  WEBHOOK_ALLOW_LOOPBACK: '1',
  MATURITY_SECONDS: '1',
  PERIOD_SECONDS: '2',
  ACME_KEY,
});

const FLOW = 'examples/listing-to-payout/index.mjs';

const PROGRAMS = [
  ['examples/openai-node/index.mjs', 'BASE_URL'],
  ['examples/anthropic-node/index.mjs', 'API_KEY'],
  ['examples/webhook-receiver/index.mjs', 'WEBHOOK_SECRET'],
  ['examples/marketplace-app/publish.mjs', 'SESSION_TOKEN'],
  ['examples/marketplace-app/sell.mjs', 'PORT'],
  [FLOW, 'PLATFORM_URL'],
] as const;

/** Ends what a test has started. */
const ends: (() => void)[] = [];

/** Starts a program that listens; returns its process and a function that returns its output. */
async function start(program: string, env: Record<string, string>) {
  const child = spawn(USERS_NODE, [program], { cwd: ROOT, env });
  ends.push(() => child.kill('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk;
    });
  await until(
    () => output,
    (text) => text.includes('Listening') || child.exitCode !== null,
  );
  return { child, output: () => output };
}

afterEach(() => {
  for (const end of ends.splice(0)) end();
});

async function endByItself(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM');
  expect(await once(child, 'close')).toEqual([0, null]);
}

/** Returns a function that posts a message, signed by the Standard Webhooks package, and returns the status. */
function signedPost(url: string, body: string, secret: string) {
  return async (id: string, { by = secret, ageSeconds = 0, sent = body } = {}): Promise<number> => {
    const time = new Date(Date.now() - ageSeconds * 1000);
    const headers = {
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(time.getTime() / 1000)),
      'webhook-signature': new Webhook(by).sign(id, time, body),
    };
    return (await fetch(url, { method: 'POST', headers, body: sent })).status;
  };
}

interface Delivery {
  readonly id: string;
  readonly event_type: string;
  readonly status: string;
  readonly attempt_count: number;
}

describe('each example', () => {
  it.each(PROGRAMS)('%s names the variable that is missing, such as %s', (program, variable) =>
    expectMissing(program, variable),
  );

  it('starts no program with the Node.js that runs it, which may be too old for that program', () => {
    const folder = join(ROOT, 'examples');
    const programs = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.mjs'),
    );
    expect(programs.length).toBeGreaterThanOrEqual(PROGRAMS.length);
    for (const name of programs)
      expect([name, readFileSync(join(folder, name), 'utf8').includes('execPath')]).toEqual([name, false]);
  });
});

describe('the example of an SDK', () => {
  it('openai-node streams, is charged once for a repeated call, and reads an error', async () => {
    const { stdout } = await paidOutput(service, 'examples/openai-node/index.mjs');
    expectCallsOfOpenAi(stdout);
  });

  it('anthropic-node sends, streams the same text, and reads an error', async () => {
    const { stdout } = await paidOutput(service, 'examples/anthropic-node/index.mjs');
    const [, text, streamed] = /^(.+) \(end_turn\)\nCharged .+\n(.+)\nStreamed /.exec(stdout) ?? [];
    expect(text).toMatch(/\w/);
    expect(streamed).toBe(text);
    expect(stdout).toMatch(/^Rejected: 400 invalid_request_error, request req_\w+\.$/m);
  });
});

describe('the example own-provider', () => {
  it('passes validation by itself, and sells calls of the server at its prices', async () => {
    const text = readFileSync(join(ROOT, 'examples/own-provider/catalog.json'), 'utf8');
    expect(parseCatalog(JSON.parse(text)).defaults).toEqual({ chat: 'acme/chat' });
    const upstream = new URL('/v1', service.session.upstream_control_url).href;
    const own = JSON.parse(text.replace('http://127.0.0.1:8000/v1', upstream)) as { models: object[] };
    const { document } = await service.admin<{ document: { models: object[] } }>('catalog', 'show');
    const file = join(service.directory, 'own-provider.json');
    writeFileSync(file, JSON.stringify({ ...document, models: [...document.models, ...own.models] }));
    await service.admin('catalog', 'apply', file, '--remove');
    await until(
      async () => (await (await service.fetch('/v1/models/acme/chat', { key: null })).json()) as object,
      (model) => 'id' in model,
    );
    const program = 'examples/openai-node/index.mjs';
    const { stdout, costs } = await paidOutput(service, program, { MODEL: 'acme/chat' });
    expectCallsOfOpenAi(stdout);
    // Prompt and output are the same in both calls; 200 and 800 nano-dollars a token.
    expect(costs.map((cost) => cost % 200)).toEqual([0, 0]);
    expect(service.output).not.toContain(ACME_KEY);
  });
});

describe('the example webhook-receiver', () => {
  it('accepts a delivery of the service once, and no message that is forged, old or from the future', async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/`;
    const owner = await Owner.open(service);
    const created = await owner.send('POST', '/api/v1/webhooks', { url, events: ['purchase.completed'] });
    const { id, secret } = (await created.json()) as { id: string; secret: string };
    const env = { WEBHOOK_SECRET: secret, PORT: String(port) };
    const { child, output } = await start('examples/webhook-receiver/index.mjs', env);
    await owner.send('POST', `/api/v1/webhooks/${id}/test`);
    await until(output, (text) => text.includes('Received purchase.completed evt_'));

    const body = JSON.stringify({ id: 'evt_1', type: 'review.created', data: { rating: 5 } });
    const post = signedPost(url, body, secret);
    const forger = `whsec_${Buffer.alloc(32).toString('base64')}`;
    expect(await post('evt_forged', { by: forger })).toBe(400);
    expect(await post('evt_changed', { sent: body.replace('5', '1') })).toBe(400);
    expect(await post('evt_old', { ageSeconds: 310 })).toBe(400);
    expect(await post('evt_future', { ageSeconds: -600 })).toBe(400);
    expect(await post('evt_large', { sent: ' '.repeat(600_000) })).toBe(413);
    expect((await fetch(url)).status).toBe(405);
    expect(await Promise.all(Array.from({ length: 10 }, () => post('evt_1')))).toEqual(Array(10).fill(204));
    expect(await post('evt_1', { ageSeconds: 60 })).toBe(204);
    await endByItself(child);
    expect(output().match(/^Received .*$/gm)).toEqual([
      expect.stringMatching(/^Received purchase\.completed evt_.*"test":true/),
      'Received review.created evt_1: {"rating":5}',
    ]);
  });

  it('accepts a message whose acceptance has failed if it is delivered again', async () => {
    const { createReceiver } = await import(join(ROOT, 'examples/webhook-receiver/receiver.mjs'));
    const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
    const accept = jest.fn<(event: unknown) => Promise<void>>().mockRejectedValueOnce(new Error('full'));
    const server: Server = createReceiver(secret, accept);
    ends.push(() => server.close());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const post = signedPost(`http://127.0.0.1:${port}/`, '{"id":"evt_1"}', secret);
    const logged = jest.spyOn(console, 'error').mockReturnValue();
    expect([await post('evt_1'), await post('evt_1'), await post('evt_1')]).toEqual([500, 204, 204]);
    expect(logged).toHaveBeenCalledWith('A message was not accepted: full');
    expect(accept).toHaveBeenCalledTimes(2);
    logged.mockRestore();
  });
});

describe('the example marketplace-app', () => {
  it('lists and releases an app, hears of its purchase once, and earns the price to the cent', async () => {
    const [publisher, buyer] = [await Owner.open(service), await Owner.open(service)];
    await service.admin('credit', 'grant', '--account', buyer.id, '--amount', '5');
    const port = String(await freePort());
    const SECRET_FILE = join(service.directory, 'webhook-secret');
    const env = {
      PLATFORM_URL: service.session.platform_url,
      SESSION_TOKEN: publisher.session,
      RECEIVER_URL: `http://127.0.0.1:${port}/`,
      SECRET_FILE,
    };
    const published = await runExample('examples/marketplace-app/publish.mjs', env);
    expect(published).toMatchObject({ status: 0, stderr: '' });
    const [, id] = /^Listed (lst_\w+) for 1\.99 USD\.\nReleased 1\.1\.0\.$/m.exec(published.stdout) ?? [];
    expect(await publisher.json(`/apps/${id}`)).toMatchObject({
      version: '1.1.0',
      tags: ['notes', 'offline'],
    });
    expect(statSync(SECRET_FILE).mode & 0o777).toBe(0o600);
    expect(published.stdout).not.toContain(readFileSync(SECRET_FILE, 'utf8'));
    expect(await runExample('examples/marketplace-app/publish.mjs', env)).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringContaining('409 Another listing has the slug'),
    });

    const { child, output } = await start('examples/marketplace-app/sell.mjs', { PORT: port, SECRET_FILE });
    const agreed = { amount: 199, currency: 'USD' };
    expect((await buyer.send('POST', `/apps/${id}/purchase`, agreed)).status).toBe(201);
    const sale = `Sold ${id} to ${buyer.id} for 1.99 USD.`;
    await until(output, (text) => text.includes(sale) && text.includes('Version 1.1.0 is out.'));
    const { balance } = await service.admin<{ balance: unknown }>('wallet', 'show', '--account', buyer.id);
    const earned = await publisher.json<{ pending: number; available: number }>('/api/v1/earnings');
    // The schedule may just have processed its maturity.
    expect([Number(balance), earned.pending + earned.available]).toEqual([3.01, 1.99]);
    expect(await service.admin('audit')).toMatchObject({ exact: true });

    const { data: webhooks } = await publisher.json<{ data: { id: string }[] }>('/api/v1/webhooks');
    const webhook = `/api/v1/webhooks/${webhooks[0]?.id}`;
    const deliveryOfSale = async () => {
      const { data } = await publisher.json<{ data: Delivery[] }>(`${webhook}/deliveries`);
      return data.findLast(({ event_type: type }) => type === 'purchase.completed');
    };
    await publisher.send('POST', `${webhook}/deliveries/${(await deliveryOfSale())?.id}/redeliver`);
    await until(deliveryOfSale, (delivery) => delivery?.attempt_count === 2);
    await publisher.send('POST', `${webhook}/test`, { type: 'purchase.completed' });
    await until(output, (text) => text.includes('A test of purchase.completed.'));
    await endByItself(child);
    expect(output().match(/^Sold .*$/gm)).toEqual([sale]);
  });
});

type Change = (body: string) => string;

/** A proxy of the platform that changes the bodies of `POST /api/v1/webhooks`, the request's and the response's. */
async function proxyOf(platform: string, changeRequest: Change, changeResponse: Change): Promise<string> {
  const proxy = createServer(async (request, response) => {
    const isWebhook = request.url === '/api/v1/webhooks';
    const body = await text(request);
    const { authorization = '' } = request.headers;
    const headers = { authorization, 'content-type': 'application/json' };
    const sent = isWebhook ? changeRequest(body) : body;
    const init = { method: request.method ?? '', headers, ...(sent === '' ? {} : { body: sent }) };
    const answer = await fetch(new URL(request.url ?? '', platform), init);
    const answered = await answer.text();
    response.writeHead(answer.status).end(isWebhook ? changeResponse(answered) : answered);
  });
  ends.push(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

describe('the example listing-to-payout', () => {
  const flow = async (variables: Record<string, string> = {}) =>
    runExample(FLOW, {
      PLATFORM_URL: service.session.platform_url,
      PORT: String(await freePort()),
      LOCAL_DIR: service.directory,
      PATH: process.env.PATH ?? '',
      ...variables,
    });

  it('lists, releases a scanned build, renews and pays out, with each event verified', async () => {
    const { status, stdout, stderr } = await flow();
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout.match(/^Verified .*$/gm)).toEqual([
      'Verified app.build.scanned.',
      'Verified release.created.',
      'Verified subscription.created.',
      'Verified subscription.updated.',
      'Verified subscription.canceled.',
      'Verified payout.paid.',
    ]);
    const [, amount] = /^Paid out (\d+) USD as po_\w+\.$/m.exec(stdout) ?? [];
    // Two periods, or more if the cancellation was late.
    expect([Number(amount) % 12, Number(amount) >= 24]).toEqual([0, true]);
    expect(await service.admin('audit')).toMatchObject({ exact: true });
  });

  it.each([
    [
      'has another signature',
      {
        response: (body: string) =>
          body.replace(/whsec_[^"]+/, `whsec_${Buffer.alloc(32).toString('base64')}`),
      },
    ],
    ['is not sent', { request: (body: string) => body.replace('"app.build.scanned",', '') }],
  ])('fails if an event %s', async (_, changes: { request?: Change; response?: Change }) => {
    const same: Change = (body) => body;
    const { request = same, response = same } = changes;
    const platform = await proxyOf(service.session.platform_url, request, response);
    expect(await flow({ PLATFORM_URL: platform, EVENT_SECONDS: '1' })).toMatchObject({
      status: 1,
      stderr: 'No verified app.build.scanned within 1 seconds.\n',
    });
  });
});
