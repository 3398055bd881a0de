/**
 * Webhooks. Retries, rotated secrets, redeliveries and the SDKs that verify a delivery are in `webhooks.test.ts`, the
 * producers of each event in `platform/`, and the five seconds of a receiver with `lambdas/webhooks`.
 */
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '../../../tools/test-kit/waiting.ts';
import { expectError } from '../envelopes.ts';
import { caller, service } from './service.ts';

const sale = { listing_id: 'lst_1', buyer_id: 'acc_1', amount: 500, currency: 'USD' };

/** Each type of event, with the data that the interface describes for it. */
const TYPES: readonly (readonly [string, object])[] = [
  ['listing.installed', {}],
  ['purchase.completed', sale],
  ['subscription.created', {}],
  ['subscription.canceled', {}],
  ['app.build.scanned', {}],
  ['release.created', {}],
  ['release.rolled_back', {}],
  ['review.created', {}],
  ['payout.paid', {}],
];
const names = TYPES.map(([type]) => type);

interface Arrival {
  readonly signature: string;
  readonly body: string;
}

describe('a subscription to events', () => {
  const arrivals: Arrival[] = [];
  let receiver: Server;
  let secret = '';

  beforeAll(async () => {
    receiver = createServer(async (request, response) => {
      const body = await text(request);
      arrivals.push({ signature: String(request.headers['x-service-signature']), body });
      response.end();
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
    const response = await caller.post('/api/v1/webhooks', { url, events: names });
    const subscription = (await response.json()) as { readonly secret: string };
    expect([response.status, subscription]).toMatchObject([201, { secret: expect.any(String) }]);
    ({ secret } = subscription);
    for (const [type, data] of TYPES)
      await service.admin(
        'event',
        'publish',
        '--type',
        type,
        '--account',
        caller.id,
        '--data',
        JSON.stringify(data),
        '--id',
        `evt_${type.replaceAll('.', '_')}`,
      );
  });
  afterAll(() => {
    receiver?.close();
  });

  it.each(TYPES)('delivers %s with its id, type, time and data, signed', async (type, data) => {
    const arrival = await until(
      () => arrivals.find(({ body }) => body.includes(`"${type}"`)),
      (found) => found !== undefined,
    );
    const event = JSON.parse(arrival?.body ?? '{}') as { readonly created: string };
    expect(event).toEqual({
      id: `evt_${type.replaceAll('.', '_')}`,
      type,
      created: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/),
      data,
    });
    const [, seconds = '', hmac = ''] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(arrival?.signature ?? '') ?? [];
    expect(hmac).toBe(createHmac('sha256', secret).update(`${seconds}.${arrival?.body}`).digest('hex'));
    expect(Math.abs(Date.now() / 1_000 - Number(seconds))).toBeLessThan(300);
  });

  it.each<readonly [object, string, string]>([
    [{ events: names }, 'missing_field', 'url'],
    [{ url: 'https://example.com' }, 'missing_field', 'events'],
    [{ url: 'https://example.com', events: [] }, 'invalid_value', 'events'],
    [{ url: 'https://example.com', events: ['purchase.refunded'] }, 'invalid_value', 'events[0]'],
    [{ url: 'http://example.com', events: names }, 'invalid_value', 'url'],
    [{ url: 'https://u:p@example.com', events: names }, 'invalid_value', 'url'],
  ])('causes 400 if it is %j', async (body, code, param) => {
    await expectError(await caller.post('/api/v1/webhooks', body), 400, code, param);
  });

  it('causes 401 without a key', async () => {
    const response = await service.post('/api/v1/webhooks', {}, { key: null });
    await expectError(response, 401, 'missing_api_key', null);
  });
});
