import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '../../tools/test-kit/waiting.ts';
import { Owner } from './owner.ts';
import { Service } from './service.ts';

interface ReceivedAlert {
  readonly id: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

const service = new Service({ WEBHOOK_ALLOW_LOOPBACK: '1', LAYOUTS: 'first' });
const received = new Map<string, ReceivedAlert[]>();
let receiver: Server;
let owner: Owner;
let key = '';

beforeAll(async () => {
  receiver = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const path = request.url ?? '';
    received.set(path, [...(received.get(path) ?? []), JSON.parse(String(Buffer.concat(chunks)))]);
    response.end();
  });
  receiver.listen(0, '127.0.0.1');
  await Promise.all([once(receiver, 'listening'), service.start()]);
  owner = await Owner.open(service, '--email', 'owner@example.com');
  ({ key } = await owner.createKey({ name: 'k', policy: { rpm: 1_000 } }));
});

afterAll(async () => {
  await service.dispose();
  receiver.closeAllConnections();
  receiver.close();
});

const alertsAt = (path: string) => (received.get(path) ?? []).map(({ type }) => type);

const subscribe = (path: string, events: readonly string[]) =>
  owner.send('POST', '/api/v1/webhooks', {
    url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}${path}`,
    events,
  });

const grant = (amount: string) => service.admin('credit', 'grant', '--account', owner.id, '--amount', amount);

/** A call that needs more than a cent. */
const call = async () => {
  const body = { model: 'sim/chat', max_tokens: 100_000, messages: [{ role: 'user', content: 'Hi' }] };
  return (await service.chat(body, { key })).status;
};

/** The statuses of calls, some at a time: each call at once takes a process. */
async function calls(count: number): Promise<ReadonlySet<number>> {
  const statuses = new Set<number>();
  const lane = async () => {
    for (let made = 0; made < count / 5; made += 1) statuses.add(await call());
  };
  await Promise.all(Array.from({ length: 5 }, lane));
  return statuses;
}

describe('alerts of money', () => {
  it('wait until the operator has finished the upgrade', async () => {
    const set = () => owner.send('PUT', '/api/v1/alerts', { balance_low_usd: 1 });
    await grant('0.000001');
    expect([await call(), (await set()).status]).toEqual([402, 409]);
    const early = await subscribe('/early', ['credit.exhausted']);
    expect([early.status, await early.json()]).toMatchObject([409, { error: { param: 'events' } }]);
    await service.admin('layout', 'finish');
    // Each process reads the record again within 5 seconds.
    await until(set, ({ status }) => status === 200);
    await until(
      () => subscribe('/named', ['credit.exhausted', 'balance.low']),
      ({ status }) => status === 201,
    );
    expect((await subscribe('/others', ['review.created', 'endpoint.disabled'])).status).toBe(201);
  });

  it('publish one event for a call without credit, none for 50 more, and another after a top-up', async () => {
    await until(
      async () => [await call(), alertsAt('/named').includes('credit.exhausted')],
      ([, isPublished]) => isPublished === true,
    );
    expect(await calls(50)).toEqual(new Set([402]));
    await grant('0.000001');
    expect(await calls(20)).toEqual(new Set([402]));
    await until(
      () => alertsAt('/named'),
      (types) => types.filter((type) => type === 'credit.exhausted').length === 2,
    );
    const exhausted = (received.get('/named') ?? []).filter(({ type }) => type === 'credit.exhausted');
    expect(exhausted.map(({ data }) => data)).toEqual([
      { balance: 0.000001, currency: 'USD', estimate: exhausted[0]?.data.estimate },
      { balance: 0.000002, currency: 'USD', estimate: exhausted[0]?.data.estimate },
    ]);
    expect(exhausted[0]?.data.estimate).toBeGreaterThan(0.000002);
    expect(new Set(exhausted.map(({ id }) => id)).size).toBe(2);
  });

  it('reach the address of the account as mails', async () => {
    const mails = await until(
      () => service.output.split('\n').filter((line) => line.includes('mail from ')),
      ({ length }) => length >= 2,
    );
    const subject = 'Unified Inference Service: your credit does not cover your calls.';
    const text = ({ platform_url: url }: { readonly platform_url: string }, balance: string) =>
      `mail from alerts@example.com to owner@example.com: ${subject} Balance: ${balance} USD  ${url}/console#/billing`;
    for (const balance of ['0.000001', '0.000002'])
      expect(mails.join('\n')).toContain(text(service.session, balance));
  });

  it('reach no webhook that names other events', () => {
    expect(alertsAt('/others')).toEqual([]);
  });

  it.each([
    ['balance_low_usd', { balance_low_usd: -1 }],
    ['balance_low_days', { balance_low_days: 0.5 }],
    ['balance_low', { balance_low: 1 }],
  ])('reject a request by the name of its field: %s', async (param, body) => {
    const rejected = await owner.send('PUT', '/api/v1/alerts', body);
    expect([rejected.status, await rejected.json()]).toMatchObject([400, { error: { param } }]);
  });
});
