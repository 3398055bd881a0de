/** The programs of `examples` that sell on the market, on one service. */
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { freePort } from '../../tools/local/process/free-port.ts';
import { until } from '../../tools/test-kit/waiting.ts';
import { endByItself, ends, expectMissing, runExample, start } from './example-run.ts';
import { oneService } from './one-service.ts';
import { Owner } from './owner.ts';

const service = oneService({
  COMPUTE: 'host',
  WEBHOOK_ALLOW_LOOPBACK: '1',
  MATURITY_SECONDS: '1',
  PERIOD_SECONDS: '2',
});

const FLOW = 'examples/listing-to-payout/index.mjs';

interface Delivery {
  readonly id: string;
  readonly event_type: string;
  readonly status: string;
  readonly attempt_count: number;
}

describe('each example of the market', () => {
  it.each([
    ['examples/marketplace-app/publish.mjs', 'SESSION_TOKEN'],
    ['examples/marketplace-app/sell.mjs', 'PORT'],
    [FLOW, 'PLATFORM_URL'],
  ])('%s names the variable that is missing, such as %s', (program, variable) =>
    expectMissing(program, variable),
  );
});

describe('the example marketplace-app', () => {
  it('lists and releases an app, receives the event of its purchase once, and earns the price to the cent', async () => {
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
