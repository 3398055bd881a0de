import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { until } from '../../test-kit/waiting.ts';
import type { StreamMappingDescription } from '../assembly/stream-mappings.ts';
import { POLL_MS, type StreamPoller, startStreamPoller } from './stream-poller.ts';
import type { Checkpoint } from './stream-reader.ts';

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

const pollers: StreamPoller[] = [];
afterEach(() => Promise.all(pollers.splice(0).map((poller) => poller.stop())));

interface Stream {
  /** The records that are there; the test may add some. */
  count: number;
  /** The number of failures of the function at a record, by the number of the record. */
  readonly failures?: Readonly<Record<string, number>>;
  readonly start?: Checkpoint;
  readonly longestWaitMs?: number;
  /** The reads that fail, from the first on. */
  readonly failedReads?: number;
}

/** Follows a stream of numbered records. */
function follow(stream: Stream) {
  const remainingFailures = new Map(Object.entries(stream.failures ?? {}));
  const seen = { reads: 0, handled: [] as string[], buried: [] as unknown[], at: '' };
  const poller = startStreamPoller({
    mapping: MAPPING,
    read: async (after, limit) => {
      seen.reads += 1;
      if (seen.reads <= (stream.failedReads ?? 0)) throw new Error('the engine is away');
      const from = Number(after?.sequenceNumber ?? 0);
      const records = numbers(from + 1, Math.min(from + limit, stream.count)).map((SequenceNumber) => ({
        dynamodb: { SequenceNumber },
      }));
      return records.length === 0 ? undefined : { records, shardId: 'shard' };
    },
    start: stream.start,
    longestWaitMs: stream.longestWaitMs ?? POLL_MS,
    save: ({ sequenceNumber = '' }) => {
      seen.at = sequenceNumber;
    },
    async invoke(event) {
      const sequence = (event as Event).Records.map(({ dynamodb }) => dynamodb.SequenceNumber);
      const poison = sequence.find((number) => (remainingFailures.get(number) ?? 0) > 0);
      if (poison !== undefined) {
        remainingFailures.set(poison, (remainingFailures.get(poison) ?? 0) - 1);
        throw new Error('failed');
      }
      seen.handled.push(...sequence);
    },
    onGivenUp: (note) => seen.buried.push(note),
    log: () => {},
  });
  pollers.push(poller);
  const reach = (sequence: string) =>
    until(
      () => seen.at,
      (at) => at === sequence,
    );
  return { poller, seen, reach };
}

const numbers = (from: number, to: number) =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => String(from + index));

describe('at the end of its stream, the follower', () => {
  it('reads no more until there is a notice, and then at once', async () => {
    const stream = { count: 0, longestWaitMs: 60_000 };
    const { poller, seen } = follow(stream);
    await sleep(4 * POLL_MS);
    expect(seen.reads).toBe(1);
    stream.count = 1;
    await sleep(4 * POLL_MS);
    expect(seen.handled).toEqual([]);
    poller.notify();
    await sleep(POLL_MS / 2);
    expect(seen.handled).toEqual(['1']);
  });

  it('misses no write whose notice arrives while it reads or waits, and reads rarely for any number of notices', async () => {
    const stream = { count: 0, longestWaitMs: 60_000 };
    const { poller, seen, reach } = follow(stream);
    for (let notice = 0; notice < 100; notice += 1) poller.notify();
    stream.count = 1;
    poller.notify();
    await reach('1');
    expect(seen.reads).toBeLessThanOrEqual(3);
  });

  it('reads a write without a notice within its maximum wait', async () => {
    const stream = { count: 0, longestWaitMs: 3 * POLL_MS };
    const { reach } = follow(stream);
    await sleep(POLL_MS);
    stream.count = 1;
    await reach('1');
  });

  it('reads again soon after a failed read', async () => {
    const { seen, reach } = follow({ count: 1, longestWaitMs: 60_000, failedReads: 1 });
    await reach('1');
    expect(seen.handled).toEqual(['1']);
  });
});

describe('the follower of a stream', () => {
  it('receives every record in its order, and continues at its checkpoint', async () => {
    const { seen, reach } = follow({ count: 10, start: { shardId: 'shard', sequenceNumber: '3' } });
    await reach('10');
    expect(seen.handled).toEqual(numbers(4, 10));
  });

  it('receives a failed batch again in halves, and preserves the order', async () => {
    const { seen, reach } = follow({ count: 8, failures: { 2: 2 } });
    await reach('8');
    expect([seen.handled, seen.buried]).toEqual([numbers(1, 8), []]);
  });

  it('skips a record that fails permanently, notes its position, and continues', async () => {
    const { seen, reach } = follow({ count: 6, failures: { 2: 1000 } });
    await reach('6');
    expect(seen.handled).toEqual(['1', ...numbers(3, 6)]);
    expect(seen.buried).toMatchObject([{ DDBStreamBatchInfo: { startSequenceNumber: '2', batchSize: 1 } }]);
  });
});
