import { afterEach, describe, expect, it } from '@jest/globals';
import type { QueueDescription } from '../assembly/queues.ts';
import { describedQueue } from '../testing/described-queue.ts';
import { Queues } from './queues.ts';
import { type MessagingStore, openMessagingStore } from './store.ts';

const NOW_MS = 1_800_000_000_000;
const DEAD = describedQueue('dead');

const stores: MessagingStore[] = [];
afterEach(() => {
  for (const store of stores.splice(0)) store.close();
});

function open(changes: Partial<QueueDescription> = {}, store = openMessagingStore(':memory:')) {
  if (!stores.includes(store)) stores.push(store);
  const time = { nowMs: NOW_MS };
  const descriptions = [describedQueue('work', changes), DEAD];
  const queues = new Queues({ descriptions, store, clock: () => time.nowMs });
  const [work, dead] = queues.all;
  if (work === undefined || dead === undefined) throw new Error('no queues');
  return { time, store, work, dead };
}

const bodies = (messages: readonly { readonly body: string }[]) => messages.map(({ body }) => body);

describe('a message', () => {
  it('arrives once until its visibility ends, and again after that until it is deleted', () => {
    const { time, work } = open();
    work.send([{ body: 'a' }]);
    const [first] = work.receive(10);
    expect(first).toMatchObject({ body: 'a', receives: 1 });
    expect(work.receive(10)).toEqual([]);
    time.nowMs += 29_999;
    expect(work.receive(10)).toEqual([]);
    time.nowMs += 1;
    const [second] = work.receive(10);
    expect(second).toMatchObject({ body: 'a', receives: 2 });
    // The first reception's time was over: it has no say any more.
    work.delete([first?.receipt ?? '']);
    expect(work.counts()).toEqual({ visible: 0, inFlight: 1, delayed: 0 });
    work.delete([second?.receipt ?? '']);
    expect(work.counts()).toEqual({ visible: 0, inFlight: 0, delayed: 0 });
    time.nowMs += 60_000;
    expect(work.receive(10)).toEqual([]);
  });

  it('arrives after its own delay, or the queue’s', () => {
    const { time, work } = open({ delayMs: 5_000 });
    work.send([{ body: 'late', delayMs: 60_000 }, { body: 'usual' }, { body: 'now', delayMs: 0 }]);
    expect(bodies(work.receive(10))).toEqual(['now']);
    expect(work.counts()).toEqual({ visible: 0, inFlight: 1, delayed: 2 });
    expect(work.nextVisibleMs).toBe(NOW_MS + 5_000);
    time.nowMs += 5_000;
    expect(bodies(work.receive(10))).toEqual(['usual']);
    time.nowMs += 55_000;
    expect(bodies(work.receive(10))).toContain('late');
  });

  it('becomes a dead letter after the maximum number of receptions', () => {
    const { time, work, dead } = open({ dead: { queueArn: DEAD.arn, maxReceives: 3 } });
    work.send([{ body: 'poison', groupId: 'g' }]);
    for (let receives = 1; receives <= 3; receives += 1) {
      expect(work.receive(1)).toMatchObject([{ receives }]);
      time.nowMs += 30_000;
    }
    expect(work.receive(1)).toEqual([]);
    expect(work.counts()).toEqual({ visible: 0, inFlight: 0, delayed: 0 });
    expect(dead.receive(1)).toMatchObject([{ body: 'poison', groupId: 'g', receives: 1 }]);
  });

  it('disappears if no reader receives it during its retention', () => {
    const { time, work } = open({ retentionMs: 60_000 });
    work.send([{ body: 'old' }]);
    time.nowMs += 60_001;
    expect(work.receive(1)).toEqual([]);
  });
});

describe('a group', () => {
  it('delays no other group if it has a backlog', () => {
    const { work } = open();
    work.send(Array.from({ length: 1000 }, (_, index) => ({ body: `noisy ${index}`, groupId: 'noisy' })));
    expect(work.receive(30)).toHaveLength(30);
    work.send([{ body: 'quiet', groupId: 'quiet' }]);
    expect(bodies(work.receive(2))).toEqual(['quiet', 'noisy 30']);
  });

  it('shares with others evenly, each in its own order', () => {
    const { work } = open();
    for (const groupId of ['a', 'b'])
      work.send([1, 2, 3].map((number) => ({ body: `${groupId}${number}`, groupId })));
    const received = bodies(work.receive(4));
    expect(received.filter((body) => body.startsWith('a'))).toEqual(['a1', 'a2']);
    expect(received.filter((body) => body.startsWith('b'))).toEqual(['b1', 'b2']);
  });
});

describe('a restart', () => {
  it('retains every message, its delay, its visibility and its receive count', () => {
    const before = open();
    before.work.send([{ body: 'waiting' }, { body: 'delayed', delayMs: 60_000 }, { body: 'held' }]);
    const messages = before.work.receive(2);
    before.work.delete([messages[0]?.receipt ?? '']);
    const after = open({}, before.store);
    expect(after.work.receive(10)).toEqual([]);
    after.time.nowMs += 30_000;
    expect(after.work.receive(10)).toMatchObject([{ body: 'held', receives: 2 }]);
    after.time.nowMs += 30_000;
    expect(bodies(after.work.receive(10)).sort()).toEqual(['delayed', 'held']);
  });
});
