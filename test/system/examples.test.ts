/** The programs of `examples` that need Node alone, on one service. Those of other languages and clients are in the ring `clients`. */
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, jest } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { parseCatalog } from '../../lambdas/inference/core/catalog/catalog-document.ts';
import { freePort } from '../../tools/local/process/free-port.ts';
import { until } from '../../tools/test-kit/waiting.ts';
import {
  endByItself,
  ends,
  expectCallsOfOpenAi,
  expectMissing,
  paidOutput,
  ROOT,
  start,
} from './example-run.ts';
import { oneService } from './one-service.ts';
import { Owner } from './owner.ts';

const ACME_KEY = 'canary-acme-key';
const service = oneService({
  COMPUTE: 'host',
  WEBHOOK_ALLOW_LOOPBACK: '1',
  ACME_KEY,
});

const PROGRAMS = [
  ['examples/openai-node/index.mjs', 'BASE_URL'],
  ['examples/anthropic-node/index.mjs', 'API_KEY'],
  ['examples/webhook-receiver/index.mjs', 'WEBHOOK_SECRET'],
] as const;

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
