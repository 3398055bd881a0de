import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { it } from '../../../tools/test-kit/search.ts';
import { drawsOf } from '../../../tools/test-kit/seed.ts';
import { rounds } from '../../../tools/test-kit/thorough.ts';
import { type Platform, startPlatform } from '../testing/platform.ts';
import { httpReceiver, type Receiver, readReceived } from '../testing/receivers.ts';

const EVENTS = 120;
const SUBSCRIPTIONS = 3;
const PROCESSES = 2;
const KILLS = rounds(6);

/** Short, so that what a dead process held is delivered again within the test. */
const CLAIM_MS = 1_000;
const VISIBILITY_MS = 1_500;

let platform: Platform;
let receiver: Receiver;
const readers = new Set<ChildProcess>();
const received = new Set<string>();

const script = join(import.meta.dirname, '..', 'testing', 'reader-process.ts');

/** Ready to read. */
async function startReader(): Promise<void> {
  const addresses = [platform.database.endpoint, platform.awsEndpoint, String(CLAIM_MS)];
  const child = fork(script, addresses, { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  readers.add(child);
  await once(child, 'message');
}

async function kill(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
  readers.delete(child);
}

beforeAll(async () => {
  platform = await startPlatform({ clock: Date.now, visibilityMs: VISIBILITY_MS, maxReceives: 100 });
  receiver = await httpReceiver(async (incoming, response) => {
    const { headers } = await readReceived(incoming);
    received.add(`${incoming.url} ${headers['webhook-id']}`);
    // Long enough that a kill meets deliveries in flight.
    await sleep(50);
    response.end();
  });
}, 30_000);

afterAll(async () => {
  await Promise.all([...readers].map(kill));
  await receiver.close();
  await platform.close();
});

describe(`${EVENTS} events for ${SUBSCRIPTIONS} subscriptions, with readers killed at random`, () => {
  it('reach each subscription at least once, and repeat only under the same id', async () => {
    const first = await platform.subscribe(`${receiver.url}/0`);
    const { accountId } = first;
    const otherSubscriptions = [1, 2].map((index) =>
      platform.subscribe(`${receiver.url}/${index}`, { accountId }),
    );
    const subscriptions = [first, ...(await Promise.all(otherSubscriptions))];
    for (let index = 0; index < EVENTS; index += 1)
      await platform.publish({ accountId, type: 'review.created', id: `evt_${index}`, data: { index } });
    await Promise.all(Array.from({ length: PROCESSES }, startReader));
    const draw = drawsOf('kills');
    for (let kills = 0; kills < KILLS; kills += 1) {
      await sleep(draw() * 150);
      const victim = [...readers][Math.floor(draw() * readers.size)];
      if (victim !== undefined) await kill(victim);
      await startReader();
    }
    const expected = EVENTS * SUBSCRIPTIONS;
    const deadlineMs = Date.now() + 30_000;
    const isClosed = () =>
      platform.waiting('events') + platform.waiting('deliveries') + platform.waiting('retries');
    while (Date.now() < deadlineMs && (received.size < expected || isClosed() > 0)) await sleep(50);
    expect(received.size).toBe(expected);
    expect(isClosed()).toBe(0);
    expect(platform.waiting('deadEvents') + platform.waiting('deadDeliveries')).toBe(0);
    for (const { id } of subscriptions) {
      const page = await platform.deliveries.list({ webhookId: id, limit: 500, order: 'newest' });
      expect(page.entries).toHaveLength(EVENTS);
      expect(page.entries.filter(({ status }) => status !== 'delivered')).toEqual([]);
    }
  }, 60_000);
});
