import { describe, expect, it } from '@jest/globals';
import type { StreamMappingDescription } from '../../../local/assembly/stream-mappings.ts';
import { startStreamPoller } from '../../../local/streams/stream-poller.ts';
import type { Checkpoint, ReadRecords } from '../../../local/streams/stream-reader.ts';

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
  const left = new Map(Object.entries(failures));
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
    save: (checkpoint) => saved.push(checkpoint),
    async invoke(event) {
      const sequence = (event as Event).Records.map(({ dynamodb }) => dynamodb.SequenceNumber);
      const poison = sequence.find((number) => (left.get(number) ?? 0) > 0);
      if (poison !== undefined) {
        left.set(poison, (left.get(poison) ?? 0) - 1);
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

describe('the follower of a stream', () => {
  it('is handed every record in its order, and goes on where it had got to', async () => {
    const { poller, handled, saved } = follow(10, {}, { shardId: 'shard', sequenceNumber: '3' });
    await until(() => saved.at(-1)?.sequenceNumber === '10');
    await poller.stop();
    expect(handled).toEqual(numbers(4, 10));
  });

  it('is handed a batch again that it failed at, in halves, and keeps the order', async () => {
    const { poller, handled, saved, buried } = follow(8, { 2: 2 });
    await until(() => saved.at(-1)?.sequenceNumber === '8');
    await poller.stop();
    expect(handled).toEqual(numbers(1, 8));
    expect(buried).toEqual([]);
  });

  it('passes a record over that it fails at for good, notes where it was, and goes on', async () => {
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
