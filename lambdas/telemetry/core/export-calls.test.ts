import { describe, expect, it } from '@jest/globals';
import type { Delivery } from '../../webhooks/core/delivery.ts';
import type { PlatformEvent, StoredEvent } from '../../webhooks/core/event.ts';
import type { Subscription } from '../../webhooks/core/subscription.ts';
import { MemoryTriggers } from '../../webhooks/testing/memory-deliveries.ts';
import { newDestination } from './destination.ts';
import { exportCalls, REMEMBERED_MS, rememberedDestinations } from './export-calls.ts';

const call = (id: string, accountId = 'acc_1') => ({ id, accountId, item: { id: { S: id } } });

/** Stores in memory, with destinations of these owners. */
function exporting(...destinations: readonly Subscription[]) {
  const events = new Map<string, StoredEvent>();
  const deliveries = new Map<string, Delivery>();
  const triggers = new MemoryTriggers();
  const dependencies = {
    find: async (owner: string) => destinations.find(({ id }) => id === `tel_${owner}`),
    events: {
      put: async (event: PlatformEvent) => {
        const key = `${event.accountId} ${event.id}`;
        const stored = events.get(key) ?? { ...event, receivedMs: 1, fannedOut: false };
        events.set(key, stored);
        return stored;
      },
    },
    deliveries: {
      create: async (delivery: Delivery) => {
        deliveries.set(delivery.id, deliveries.get(delivery.id) ?? delivery);
        return deliveries.get(delivery.id) ?? delivery;
      },
    },
    triggers,
    clock: () => 2,
  };
  return {
    run: (...calls: ReturnType<typeof call>[]) => exportCalls(dependencies, calls),
    events,
    deliveries,
    triggers,
  };
}

const idsOf = ({ data }: StoredEvent) => (data.calls as { id: { S: string } }[]).map(({ id }) => id.S);
const destination = (owner: string, changes: Partial<Subscription> = {}) => ({
  ...newDestination(owner, 'https://otlp.example.com', 0),
  ...changes,
});

describe('settled calls', () => {
  it('go to the destination of their account, and all of them to the operator’s', async () => {
    const { run, events } = exporting(destination('acc_1'), destination('operator'));
    await run(call('req_1'), call('req_2', 'acc_2'), call('req_3'));
    expect(Object.fromEntries([...events.values()].map((event) => [event.accountId, idsOf(event)]))).toEqual({
      'telemetry#acc_1': ['req_1', 'req_3'],
      'telemetry#operator': ['req_1', 'req_2', 'req_3'],
    });
  });

  it('store nothing without a destination, and with one that is disabled', async () => {
    const { run, events, triggers } = exporting(destination('acc_1', { status: 'disabled' }));
    await run(call('req_1'), call('req_2', 'acc_2'));
    await run();
    expect([events.size, triggers.queued]).toEqual([0, []]);
  });

  it('make one delivery when their batch comes again, and trigger it until an attempt was made', async () => {
    const { run, deliveries, triggers } = exporting(destination('acc_1', { failingSinceMs: 1 }));
    for (let times = 0; times < 2; times += 1) await run(call('req_1'));
    expect(deliveries.size).toBe(1);
    expect(triggers.queued.map(({ to, trigger }) => [to, trigger.attempt])).toEqual([
      ['retries', 1],
      ['retries', 1],
    ]);
    for (const [id, delivery] of deliveries) deliveries.set(id, { ...delivery, attempts: 1 });
    await run(call('req_1'));
    expect(triggers.queued).toHaveLength(2);
  });
});

it('a destination is read once in a while, and again after a read that failed', async () => {
  let [nowMs, reads, fails] = [0, 0, true];
  const get = async () => {
    reads += 1;
    if (fails) throw new Error('throttled');
    return undefined;
  };
  const find = rememberedDestinations({ get }, () => nowMs, new Map());
  await expect(find('acc_1')).rejects.toThrow('throttled');
  fails = false;
  for (let times = 0; times < 3; times += 1) expect(await find('acc_1')).toBeUndefined();
  expect(reads).toBe(2);
  nowMs = REMEMBERED_MS;
  await find('acc_1');
  expect(reads).toBe(3);
});
