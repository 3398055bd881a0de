import { afterAll, beforeAll, beforeEach, describe, expect } from '@jest/globals';
import { redrive } from '../../../operator/redrive.ts';
import {
  type Platform,
  type PlatformOptions,
  QUEUE_ENVIRONMENT,
  startPlatform,
} from '../../../test/webhooks/platform.ts';
import { it } from '../../../tools/test-kit/search.ts';
import { offsets } from '../../../tools/test-kit/thorough.ts';
import type { SendResult } from '../core/ports.ts';

const DAY_MS = 86_400_000;

/** A process that dies at one of its calls: before the call is made, or after it was answered. */
class MortalProcess {
  calls = 0;
  #deathAt = 0;
  #isAnswered = false;
  #isDead = false;

  /** Lives on when `deathAt` is 0. Calls count from 1. */
  start(deathAt: number, isAnswered: boolean): void {
    this.calls = 0;
    this.#deathAt = deathAt;
    this.#isAnswered = isAnswered;
    this.#isDead = false;
  }

  readonly around = async (call: () => Promise<unknown>): Promise<unknown> => {
    if (this.#isDead) throw new Error('the process is dead');
    this.calls += 1;
    if (this.calls !== this.#deathAt) return call();
    this.#isDead = true;
    if (this.#isAnswered) await call();
    throw new Error('the process is dead');
  };

  /** Another process takes its place. */
  readonly hasDied = (): boolean => {
    const died = this.#isDead;
    this.#isDead = false;
    return died;
  };
}

const mortal = new MortalProcess();
let results: readonly SendResult[] = [];
let requests: { readonly id: string; readonly attempt: number; readonly body: string }[] = [];

/** The nth post of an event is answered with the nth answer, later ones with the last. */
const send: NonNullable<PlatformOptions['send']> = async ({ headers, body }) => {
  const id = String(headers['webhook-id']);
  requests.push({
    id,
    attempt: Number(headers['X-service-Delivery-Attempt']),
    body: String(body),
  });
  const posts = requests.filter((post) => post.id === id).length;
  return results[Math.min(posts, results.length) - 1] ?? { outcome: 'connection' };
};

const OK: SendResult = { outcome: 'delivered', status: 200, body: '' };
const FAILED: SendResult = { outcome: 'status', status: 500, body: '' };
const DELETED: SendResult = { outcome: 'status', status: 410, body: '' };

interface Story {
  readonly name: string;
  readonly results: readonly SendResult[];
  /** Attempts without any crash. */
  readonly attempts: number;
  readonly status: 'delivered' | 'dead';
}

const STORIES: readonly Story[] = [
  { name: 'succeeds', results: [OK], attempts: 1, status: 'delivered' },
  {
    name: 'fails, waits in the queue and for a schedule, and succeeds',
    results: [FAILED, FAILED, FAILED, FAILED, OK],
    attempts: 5,
    status: 'delivered',
  },
  { name: 'finds its receiver gone', results: [DELETED], attempts: 1, status: 'dead' },
  { name: 'fails to its end', results: [FAILED], attempts: 9, status: 'dead' },
];

let platform: Platform;

beforeAll(async () => {
  platform = await startPlatform({ send, around: mortal.around, hasDied: mortal.hasDied, random: () => 0.5 });
});
afterAll(() => platform.close());

/** One event for one new subscription, until nothing more happens; the process dies once, or not at all. */
async function play(story: Story, deathAt: number, isAnswered: boolean) {
  mortal.start(0, false);
  const subscription = await platform.subscribe('https://receiver.example/');
  const { accountId, id } = subscription;
  await platform.publish({ accountId, type: 'review.created', id: 'evt_1', data: {} });
  results = story.results;
  requests = [];
  mortal.start(deathAt, isAnswered);
  await platform.pass(2 * DAY_MS);
  const { calls } = mortal;
  mortal.start(0, false);
  const { entries: deliveries } = await platform.deliveries.list({
    webhookId: id,
    limit: 10,
    order: 'newest',
  });
  return { deliveries, calls, after: await platform.subscriptions.get(subscription) };
}

describe.each(STORIES)('a delivery that $name', (story) => {
  let calls = 0;

  beforeEach(async () => {
    if (calls > 0) return;
    const calm = await play(story, 0, false);
    calls = calm.calls;
    expect(requests).toHaveLength(story.attempts);
    expect(calm.deliveries).toMatchObject([{ status: story.status, attempts: story.attempts }]);
  });

  it.each([false, true])(
    'ends with its expected status wherever its process crashes (request applied: %s)',
    async (isAnswered) => {
      expect(calls).toBeGreaterThan(5);
      // The steps of a later attempt are those of the first: the more attempts, the fewer of them a plain run tries.
      for (const deathAt of offsets(1, calls, story.attempts > 5 ? 8 : story.attempts > 1 ? 4 : 2)) {
        const { deliveries, after } = await play(story, deathAt, isAnswered);
        const [delivery] = deliveries;
        expect({ deathAt, count: deliveries.length, status: delivery?.status }).toEqual({
          deathAt,
          count: 1,
          status: story.status,
        });
        // At least once; a crash repeats at most the attempt it hit.
        expect(requests.length).toBeGreaterThanOrEqual(1);
        expect(requests.length).toBeLessThanOrEqual(story.attempts + 1);
        expect(new Set(requests.map(({ id }) => id))).toEqual(new Set(['evt_1']));
        expect(new Set(requests.map(({ body }) => body)).size).toBe(1);
        if (story.results === STORIES[2]?.results)
          expect(after).toMatchObject({ status: 'disabled', notice: undefined });
        for (const queue of ['events', 'deliveries', 'retries', 'deadEvents'] as const)
          expect([deathAt, queue, platform.waiting(queue)]).toEqual([deathAt, queue, 0]);
      }
    },
    60_000,
  );
});

describe('a message that arrives twice and in any order', () => {
  let twice: Platform;

  beforeAll(async () => {
    twice = await startPlatform({ send, random: () => 0.5, copies: 2 });
  });
  afterAll(() => twice.close());

  it.each(STORIES)(
    'causes each attempt once: a delivery that $name',
    async (story) => {
      const events = ['evt_1', 'evt_2', 'evt_3'];
      const { accountId, id } = await twice.subscribe('https://receiver.example/');
      results = story.results;
      requests = [];
      for (const eventId of [...events, ...events])
        await twice.publish({ accountId, type: 'review.created', id: eventId, data: {} });
      await twice.pass(2 * DAY_MS);
      const attempts = requests.map(({ id: eventId, attempt }) => `${eventId} ${attempt}`);
      expect(new Set(attempts).size).toBe(attempts.length);
      const { entries: deliveries } = await twice.deliveries.list({
        webhookId: id,
        limit: 10,
        order: 'newest',
      });
      expect(deliveries.map(({ eventId }) => eventId).sort()).toEqual(events);
      expect(deliveries.filter(({ status }) => status === 'pending')).toEqual([]);
      expect(twice.waiting('retries') + twice.waiting('deliveries') + twice.waiting('events')).toBe(0);
    },
    30_000,
  );
});

describe('a message that cannot be handled', () => {
  it('becomes a dead letter after five reads, and delays nothing else', async () => {
    const poisoned = await startPlatform({ send });
    try {
      results = [OK];
      requests = [];
      const { accountId } = await poisoned.subscribe('https://receiver.example/');
      poisoned.queue('events').send([{ body: 'not JSON' }]);
      poisoned.queue('deliveries').send([{ body: '{"attempt":"first"}' }, { body: '}' }]);
      await poisoned.publish({ accountId, type: 'review.created', id: 'evt_1', data: {} });
      await poisoned.settle();
      expect(requests).toHaveLength(1);
      await poisoned.pass(3_600_000);
      expect(poisoned.waiting('deadEvents')).toBe(1);
      expect(poisoned.waiting('deadDeliveries')).toBe(2);
      expect(poisoned.waiting('events') + poisoned.waiting('deliveries')).toBe(0);
      expect(await redrive(poisoned.sqs, QUEUE_ENVIRONMENT, 'events')).toBe(1);
      expect([poisoned.waiting('deadEvents'), poisoned.waiting('events')]).toEqual([0, 1]);
      expect(poisoned.log.lines.filter((line) => line.startsWith('a message failed'))).toHaveLength(15);
    } finally {
      await poisoned.close();
    }
  });

  it('counts as rejected and is dropped if it is not an event of the platform', async () => {
    const other = await startPlatform({ send });
    try {
      await other.publish({ accountId: 'acc_1', type: 'purchase.refunded', id: 'evt_1', data: {} });
      await other.pass(3_600_000);
      expect(other.seen.rejected).toBe(1);
      expect(other.waiting('deadEvents') + other.waiting('events')).toBe(0);
    } finally {
      await other.close();
    }
  });
});
