/** Webhook deliveries: how long one takes, alone and beside a dead receiver, and what random kills cost. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Figure } from '../harness/report.ts';
import { percentile } from '../harness/statistics.ts';
import { type BenchReceiver, startBlackHole, startReceiver } from './receiver.ts';
import { type BenchService, openService } from './service.ts';

/** Enough for a 95th percentile that one hiccup does not move. */
const SAMPLES = 200;

/** Ten events a second: what is measured is a delivery, not the queue before it. */
const PAUSE_MS = 100;

/** Deliveries that wait for the dead receiver. */
const BACKLOG = 1_000;

/** What a dead receiver may cost a healthy one. */
const MOST_RATIO = 2;

const EVENTS = 10_000;
const SUBSCRIPTIONS = 3;
const KILLS = 20;

/** Publishers at once. */
const PUBLISHERS = 16;

/** The kills' deliveries end within this. */
const DRAIN_MS = 1_800_000;

/** Dead letters are brought back this often, as an operator would whom the alarm has called. */
const REDRIVE_MS = 10_000;

interface Owner {
  readonly accountId: string;
  /** Subscribes a URL to every event of the bench. */
  subscribe(url: string): Promise<string>;
  publish(id: string): Promise<void>;
  /** Ends its webhooks, so that what is pending for them is dropped. */
  end(): Promise<void>;
}

async function openOwner({ session, operator }: BenchService): Promise<Owner> {
  const accountId = await operator.openAccount();
  const { key } = await operator.createKey(accountId, 'bench', { rpm: 1_000_000 });
  const made: string[] = [];
  async function call(method: string, path: string, body?: object): Promise<{ id: string }> {
    const response = await fetch(`${session.platform_url}/api/v1/webhooks${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()) as { id: string };
  }
  return {
    accountId,
    async subscribe(url) {
      const { id } = await call('POST', '', { url, events: ['review.created'] });
      made.push(id);
      return id;
    },
    publish: (id) => operator.publish({ accountId, type: 'review.created', id, data: { stars: 5 } }),
    async end() {
      for (const id of made.splice(0)) await call('DELETE', `/${id}`);
    },
  };
}

/** Deliveries that are in a queue; those that wait longer are schedules. */
const backlogOf = async (service: BenchService): Promise<number> =>
  (await service.waiting('deliveries')) + (await service.waiting('retries'));

/** From an event's publishing to its arrival, milliseconds, for events one after another. */
async function measureLatencies(
  owner: Owner,
  receiver: BenchReceiver,
  path: string,
  run: string,
): Promise<number[]> {
  const published: number[] = [];
  for (let index = 0; index < SAMPLES; index += 1) {
    published.push(performance.now());
    await owner.publish(`${run}_${index}`);
    await sleep(PAUSE_MS);
  }
  const arrivalOf = (index: number) => receiver.arrivals.get(`${path} ${run}_${index}`)?.[0];
  while (published.some((_, index) => arrivalOf(index) === undefined)) await sleep(50);
  return published.map((at, index) => (arrivalOf(index) ?? 0) - at);
}

async function publishMany(owner: Owner, count: number, run: string): Promise<void> {
  let next = 0;
  const publisher = async () => {
    while (next < count) {
      next += 1;
      await owner.publish(`${run}_${next - 1}`);
    }
  };
  await Promise.all(Array.from({ length: PUBLISHERS }, publisher));
}

async function measureNeighbours(service: BenchService, receiver: BenchReceiver): Promise<Figure[]> {
  const [healthy, dead] = await Promise.all([openOwner(service), openOwner(service)]);
  const hole = await startBlackHole();
  try {
    await healthy.subscribe(`${receiver.url}/healthy`);
    await dead.subscribe(`${hole.url}/dead`);
    // The first calls start processes.
    await measureLatencies(healthy, receiver, '/healthy', 'warm');
    const before = await measureLatencies(healthy, receiver, '/healthy', 'before');
    await publishMany(dead, BACKLOG, 'dead');
    // Deliveries that are pending, not events that have yet to become deliveries.
    while ((await service.waiting('events')) > 0) await sleep(20);
    const pending = await backlogOf(service);
    const beside = await measureLatencies(healthy, receiver, '/healthy', 'beside');
    const still = await backlogOf(service);
    hole.close();
    await dead.end();
    // Alone again, because a shared machine changes from minute to minute.
    const after = await measureLatencies(healthy, receiver, '/healthy', 'after');
    const alone = [...before, ...after];
    const [p95Alone, p95Beside] = [percentile(alone, 95), percentile(beside, 95)];
    return [
      {
        name: 'deliveries in the queues before and after, at least',
        value: Math.min(pending, still),
        unit: '',
      },
      { name: 'event to arrival, alone, median', value: percentile(alone, 50), unit: 'ms' },
      { name: 'event to arrival, alone, p95', value: p95Alone, unit: 'ms' },
      {
        name: `the same beside a dead receiver with ${BACKLOG} pending, median`,
        value: percentile(beside, 50),
        unit: 'ms',
      },
      { name: `the same beside a dead receiver with ${BACKLOG} pending, p95`, value: p95Beside, unit: 'ms' },
      {
        name: 'p95 beside a dead receiver, of the p95 alone',
        value: p95Beside / p95Alone,
        unit: 'times',
        most: MOST_RATIO,
      },
    ];
  } finally {
    hole.close();
  }
}

async function measureKills(service: BenchService, receiver: BenchReceiver): Promise<Figure[]> {
  const owner = await openOwner(service);
  const paths = Array.from({ length: SUBSCRIPTIONS }, (_, index) => `/kills/${index}`);
  for (const path of paths) await owner.subscribe(`${receiver.url}${path}`);
  const startedMs = performance.now();
  const arrived = () => [...receiver.arrivals].filter(([name]) => name.startsWith('/kills/'));
  let kills = 0;
  let done = false;
  const killing = (async () => {
    while (!done && kills < KILLS) {
      await sleep(500 + Math.random() * 3_000);
      kills += service.kill(Math.random() < 0.5 ? 'fan-out-events' : 'deliver-webhooks');
    }
  })();
  await publishMany(owner, EVENTS, 'kill');
  const expected = EVENTS * SUBSCRIPTIONS;
  let redriven = 0;
  while (arrived().length < expected && performance.now() - startedMs < DRAIN_MS) {
    await sleep(REDRIVE_MS);
    for (const what of ['events', 'deliveries'] as const) redriven += await service.operator.redrive(what);
  }
  const seconds = (performance.now() - startedMs) / 1000;
  done = true;
  await killing;
  const counts = arrived().map(([, times]) => times.length);
  return [
    {
      name: `deliveries lost of ${expected}, with kills`,
      value: expected - counts.length,
      unit: '',
      most: 0,
    },
    { name: 'processes killed', value: kills, unit: '' },
    {
      name: 'messages that died five times with their readers, and were redriven',
      value: redriven,
      unit: '',
    },
    { name: 'deliveries repeated', value: counts.filter((count) => count > 1).length, unit: '' },
    { name: 'deliveries a second, kills and all', value: expected / seconds, unit: '/s' },
  ];
}

export async function measureWebhooks(): Promise<readonly Figure[]> {
  const service = await openService();
  const receiver = await startReceiver();
  try {
    return [...(await measureNeighbours(service, receiver)), ...(await measureKills(service, receiver))];
  } finally {
    receiver.close();
    await service.close();
  }
}
