import { createHmac } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import { redrive } from '../../../operator/redrive.ts';
import { NOON_MS, type Platform, QUEUE_ENVIRONMENT, startPlatform } from '../../../test/webhooks/platform.ts';
import {
  httpReceiver,
  type ReceivedDelivery,
  type Receiver,
  readReceived,
} from '../../platform/testing/connections/receivers.ts';
import { JITTER, RETRY_SPAN_MS, WAITS_MS } from '../core/backoff.ts';
import { recover } from '../core/recovery.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** SQS and schedules count whole seconds. */
const ROUNDING_MS = 1000;

let platform: Platform;
let receiver: Receiver;

interface Hit extends ReceivedDelivery {
  readonly atMs: number;
}

/** Starts everything; the receiver answers with what `respond` says at that time. */
async function start(
  respond: (hits: readonly Hit[]) => { status: number; headers?: Record<string, string> },
  options: Parameters<typeof startPlatform>[0] = {},
): Promise<Hit[]> {
  platform = await startPlatform(options);
  const hits: Hit[] = [];
  receiver = await httpReceiver(async (incoming, response) => {
    hits.push({ ...(await readReceived(incoming)), atMs: platform.time.nowMs });
    const { status, headers } = respond(hits);
    response.writeHead(status, headers).end();
  });
  return hits;
}

afterEach(async () => {
  await platform.close();
  await receiver.close();
});

async function publishOne(accountId: string, id = 'evt_1') {
  await platform.publish({ accountId, type: 'review.created', id, data: { text: 'secret-of-the-payload' } });
}

async function deliveryOf(webhookId: string) {
  const { entries: deliveries } = await platform.deliveries.list({ webhookId, limit: 10, order: 'newest' });
  expect(deliveries).toHaveLength(1);
  return deliveries[0];
}

describe('a delivery that always fails', () => {
  it('follows the schedule for 24 hours, becomes a dead letter, and is delivered again if it is redriven', async () => {
    let well = false;
    const hits = await start(() => ({ status: well ? 200 : 500 }));
    const { id, accountId, secret } = await platform.subscribe(receiver.url);
    await publishOne(accountId);
    await platform.pass(2 * DAY_MS);

    const times = hits.map(({ atMs }) => atMs);
    expect(times).toHaveLength(9);
    expect(times[0]).toBe(NOON_MS);
    for (const [index, wait] of WAITS_MS.entries()) {
      const waited = (times[index + 1] ?? 0) - (times[index] ?? 0);
      expect(waited).toBeGreaterThanOrEqual(wait * (1 - JITTER));
      expect(waited).toBeLessThanOrEqual(wait * (1 + JITTER) + ROUNDING_MS);
    }
    const last = (times.at(-1) ?? 0) - NOON_MS;
    expect(last).toBeLessThanOrEqual(RETRY_SPAN_MS + ROUNDING_MS);
    expect(last).toBeGreaterThan(RETRY_SPAN_MS - 11 * 60_000);

    expect(new Set(hits.map(({ body }) => body)).size).toBe(1);
    expect(new Set(hits.map(({ headers }) => headers['webhook-id']))).toEqual(new Set(['evt_1']));
    expect(new Set(hits.map(({ headers }) => headers['X-service-Event-Id']))).toEqual(new Set(['evt_1']));
    for (const [index, { headers, body, atMs }] of hits.entries()) {
      expect(headers['X-service-Delivery-Attempt']).toBe(String(index + 1));
      const timestamp = Math.floor(atMs / 1000);
      const digest = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
      expect(headers['X-service-Signature']).toBe(`t=${timestamp},v1=${digest}`);
    }

    expect(await deliveryOf(id)).toMatchObject({ status: 'dead', deadReason: 'exhausted', attempts: 9 });
    expect(platform.seen.dead).toEqual(['exhausted']);
    expect(platform.waiting('exhaustedDeliveries')).toBe(1);
    expect(platform.waiting('retries') + platform.waiting('deliveries') + platform.waiting('events')).toBe(0);

    well = true;
    expect(await redrive(platform.sqs, QUEUE_ENVIRONMENT, 'deliveries')).toBe(1);
    await platform.pass(0);
    expect(hits).toHaveLength(10);
    expect(hits.at(-1)?.headers['X-service-Delivery-Attempt']).toBe('10');
    expect(await deliveryOf(id)).toMatchObject({ status: 'delivered', deadReason: undefined, attempts: 10 });
    expect(platform.waiting('exhaustedDeliveries')).toBe(0);
  });

  it('gets a new round of 24 hours if its owner recovers it, and the dead letter becomes void', async () => {
    const hits = await start(() => ({ status: 500 }));
    const { id, accountId } = await platform.subscribe(receiver.url);
    await publishOne(accountId);
    await platform.pass(2 * DAY_MS);
    const clock = () => platform.time.nowMs;
    const dependencies = { deliveries: platform.deliveries, triggers: platform.triggers, clock };
    expect(await recover(dependencies, id, NOON_MS + 1)).toMatchObject({ count: 0 });
    expect(await recover(dependencies, id, NOON_MS)).toEqual({ count: 1, nextMs: undefined });
    // Asked twice, it is one attempt.
    expect(await recover(dependencies, id, NOON_MS)).toMatchObject({ count: 1 });
    await platform.pass(DAY_MS + HOUR_MS);
    expect(hits).toHaveLength(18);
    const [tenth = 0, eleventh = 0] = hits.slice(9).map(({ atMs }) => atMs);
    expect(tenth).toBe(NOON_MS + 2 * DAY_MS);
    expect(eleventh - tenth).toBeLessThanOrEqual(5_500 + ROUNDING_MS);
    expect(platform.waiting('exhaustedDeliveries')).toBe(2);
    expect(await redrive(platform.sqs, QUEUE_ENVIRONMENT, 'deliveries')).toBe(2);
    await platform.pass(0);
    // One of the two was the first round's: its attempt has long been made.
    expect(hits).toHaveLength(19);
  });
});

describe('a receiver', () => {
  it('gets no further delivery after five days of failures only, and its owner is notified once', async () => {
    const hits = await start((receivedHits) => ({
      status: receivedHits.at(-1)?.body.includes('endpoint.disabled') ? 200 : 500,
    }));
    const failing = await platform.subscribe(receiver.url);
    await platform.subscribe(receiver.url, { accountId: failing.accountId, events: ['endpoint.disabled'] });
    for (let day = 0; day < 7; day += 1) {
      await publishOne(failing.accountId, `evt_${day}`);
      await platform.pass(DAY_MS);
    }
    const subscription = await platform.subscriptions.get(failing);
    expect(subscription).toMatchObject({
      status: 'disabled',
      disabledReason: 'failing',
      failingSinceMs: NOON_MS,
    });
    const notices = hits.filter(({ body }) => body.includes('endpoint.disabled'));
    expect(notices).toHaveLength(1);
    const [{ atMs }] = notices as [Hit];
    expect(atMs - NOON_MS).toBeGreaterThanOrEqual(5 * DAY_MS);
    expect(atMs - NOON_MS).toBeLessThan(5 * DAY_MS + 10 * HOUR_MS);
    expect(hits.filter((hit) => hit.atMs > atMs)).toEqual([]);
    expect(platform.seen.disabled).toBe(1);
  });

  it('continues to get deliveries if it succeeds now and then', async () => {
    let failures = 0;
    await start((receivedHits) => {
      const fails = !receivedHits.at(-1)?.body.includes('evt_3');
      if (fails) failures += 1;
      return { status: fails ? 500 : 200 };
    });
    const { accountId, id } = await platform.subscribe(receiver.url);
    for (let day = 0; day < 7; day += 1) {
      await publishOne(accountId, `evt_${day}`);
      await platform.pass(DAY_MS);
    }
    expect(failures).toBeGreaterThan(50);
    expect(await platform.subscriptions.get({ accountId, id })).toMatchObject({ status: 'active' });
  });
});

describe('secrets and payloads', () => {
  it('appear in no log line and in no database item in plain text', async () => {
    await start(() => ({ status: 500 }));
    const { accountId, secret } = await platform.subscribe(receiver.url);
    await publishOne(accountId);
    await platform.pass(DAY_MS);
    const { client, tables } = platform.database;
    const { ScanCommand } = await import('@aws-sdk/client-dynamodb');
    const scans = [tables.webhooks, tables.events, tables.deliveries].map((TableName) =>
      client.send(new ScanCommand({ TableName })),
    );
    const items = (await Promise.all(scans)).flatMap(({ Items: rows = [] }) => rows);
    expect(items.length).toBeGreaterThanOrEqual(3);
    const storedText = [...items.map((item) => JSON.stringify(item)), ...platform.log.lines].join('\n');
    const bytes = items.flatMap((item) =>
      Object.values(item).flatMap(({ B }) => (B === undefined ? [] : [B])),
    );
    const text = storedText + Buffer.concat(bytes).toString('latin1');
    expect(text).not.toContain('secret-of-the-payload');
    expect(text).not.toContain(secret);
    expect(text).not.toContain(Buffer.from(secret).toString('base64'));
  });
});
