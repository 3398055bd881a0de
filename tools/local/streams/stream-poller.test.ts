import { describe, expect, it } from '@jest/globals';
import type { StreamMappingDescription } from '../assembly/stream-mappings.ts';
import { POLL_MS, startStreamPoller } from './stream-poller.ts';
import type { Checkpoint, ReadRecords } from './stream-reader.ts';

const MAPPING: StreamMappingDescription = {
  functionName: 'follower',
  streamArn: 'arn:aws:dynamodb:us-east-1:000000000000:table/t/stream/local',
  tableName: 't',
  batchSize: 4,
  bisect: true,
  maxRetries: 1,
  deadQueueArn: undefined,
};

interface Event {
  readonly Records: readonly { readonly dynamodb: { readonly SequenceNumber: string } }[];
}

/** A stream of `count` records, and a function that fails at some of them a number of times. */
function follow(count: number, failures: Readonly<Record<string, number>>, start?: Checkpoint) {
  const remainingFailures = new Map(Object.entries(failures));
  const handled: string[] = [];
  const buried: unknown[] = [];
  const saved: Checkpoint[] = [];
  const read: ReadRecords = async (after, limit) => {
    const from = Number(after?.sequenceNumber ?? 0);
    const records = Array.from({ length: Math.min(limit, count - from) }, (_, index) => ({
      eventName: 'INSERT' as const,
      dynamodb: { SequenceNumber: String(from + index + 1) },
    }));
    return records.length === 0 ? undefined : { records, shardId: 'shard' };
  };
  const poller = startStreamPoller({
    mapping: MAPPING,
    read,
    start,
    longestWaitMs: POLL_MS,
    save: (checkpoint) => saved.push(checkpoint),
    async invoke(event) {
      const sequence = (event as Event).Records.map(({ dynamodb }) => dynamodb.SequenceNumber);
      const poison = sequence.find((number) => (remainingFailures.get(number) ?? 0) > 0);
      if (poison !== undefined) {
        remainingFailures.set(poison, (remainingFailures.get(poison) ?? 0) - 1);
        throw new Error('failed');
      }
      handled.push(...sequence);
    },
    onGivenUp: (note) => buried.push(note),
    log: () => {},
  });
  return { poller, handled, buried, saved };
}

async function until(done: () => boolean): Promise<void> {
  const deadlineMs = Date.now() + 10_000;
  while (!done() && Date.now() < deadlineMs) await new Promise((resolve) => setTimeout(resolve, 5));
}

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => String(from + index));

/** A poller at the end of its stream that counts its looks; `arrive` puts a record there, with or without a notice. */
function waitAtEnd(longestWaitMs: number) {
  let pollCount = 0;
  let last = 0;
  const handled: string[] = [];
  const poller = startStreamPoller({
    mapping: MAPPING,
    read: async (after) => {
      pollCount += 1;
      const next = Number(after?.sequenceNumber ?? 0) + 1;
      if (next > last) return undefined;
      return { records: [{ dynamodb: { SequenceNumber: String(next) } }], shardId: 'shard' };
    },
    start: undefined,
    longestWaitMs,
    save: (checkpoint) => handled.push(checkpoint.sequenceNumber ?? ''),
    invoke: async () => {},
    onGivenUp: () => {},
    log: () => {},
  });
  const arrive = () => {
    last += 1;
  };
  return { poller, handled, arrive, pollCount: () => pollCount };
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('at the end of its stream, the follower', () => {
  it('reads no more until there is a notice, and then at once', async () => {
    const { poller, handled, arrive, pollCount } = waitAtEnd(60_000);
    await sleep(4 * POLL_MS);
    expect(pollCount()).toBe(1);
    arrive();
    await sleep(4 * POLL_MS);
    expect(handled).toEqual([]);
    poller.notify();
    await sleep(POLL_MS / 2);
    expect(handled).toEqual(['1']);
    await poller.stop();
  });

  it('misses no write whose notice arrives while it reads or waits, and reads rarely for any number of notices', async () => {
    const { poller, handled, arrive, pollCount } = waitAtEnd(60_000);
    for (let notice = 0; notice < 100; notice += 1) poller.notify();
    arrive();
    poller.notify();
    await until(() => handled.length === 1);
    expect(handled).toEqual(['1']);
    expect(pollCount()).toBeLessThanOrEqual(3);
    await poller.stop();
  });

  it('reads a write without a notice within its maximum wait', async () => {
    const { poller, handled, arrive } = waitAtEnd(3 * POLL_MS);
    await sleep(POLL_MS);
    arrive();
    await until(() => handled.length === 1);
    expect(handled).toEqual(['1']);
    await poller.stop();
  });

  it('reads again soon after a failed read', async () => {
    let pollCount = 0;
    const { promise, resolve } = Promise.withResolvers<void>();
    const poller = startStreamPoller({
      mapping: MAPPING,
      read: async () => {
        pollCount += 1;
        if (pollCount === 1) throw new Error('the engine is away');
        resolve();
        return undefined;
      },
      start: undefined,
      longestWaitMs: 60_000,
      save: () => {},
      invoke: async () => {},
      onGivenUp: () => {},
      log: () => {},
    });
    await promise;
    expect(pollCount).toBe(2);
    await poller.stop();
  });
});

describe('the follower of a stream', () => {
  it('receives every record in its order, and continues at its checkpoint', async () => {
    const { poller, handled, saved } = follow(10, {}, { shardId: 'shard', sequenceNumber: '3' });
    await until(() => saved.at(-1)?.sequenceNumber === '10');
    await poller.stop();
    expect(handled).toEqual(numbers(4, 10));
  });

  it('receives a failed batch again in halves, and preserves the order', async () => {
    const { poller, handled, saved, buried } = follow(8, { 2: 2 });
    await until(() => saved.at(-1)?.sequenceNumber === '8');
    await poller.stop();
    expect(handled).toEqual(numbers(1, 8));
    expect(buried).toEqual([]);
  });

  it('skips a record that fails permanently, notes its position, and continues', async () => {
    const { poller, handled, saved, buried } = follow(6, { 2: 1000 });
    await until(() => saved.at(-1)?.sequenceNumber === '6');
    await poller.stop();
    expect(handled).toEqual(['1', ...numbers(3, 6)]);
    expect(buried).toEqual([
      expect.objectContaining({
        DDBStreamBatchInfo: expect.objectContaining({ startSequenceNumber: '2', batchSize: 1 }),
      }),
    ]);
  });
});
