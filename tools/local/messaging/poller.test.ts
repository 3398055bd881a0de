import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { SQSEvent } from 'aws-lambda';
import type { MappingDescription } from '../assembly/queues.ts';
import { type Poller, startPoller } from './poller.ts';
import { Queues } from './queues.ts';
import { openMessagingStore } from './store.ts';

const ARN = 'arn:aws:sqs:us-east-1:000000000000:work';
const VISIBILITY_MS = 60;

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

function start(invoke: (event: SQSEvent) => Promise<unknown>, changes: Partial<MappingDescription> = {}) {
  const store = openMessagingStore(':memory:');
  const description = {
    name: 'work',
    arn: ARN,
    url: 'work',
    visibilityMs: VISIBILITY_MS,
    delayMs: 0,
    retentionMs: 1e9,
    dead: undefined,
  };
  const queue = new Queues({ descriptions: [description], store, clock: Date.now }).byArn(ARN);
  const mapping = {
    functionName: 'f',
    queueArn: ARN,
    batchSize: 10,
    maxConcurrency: 5,
    partialFailures: true,
    ...changes,
  };
  const lines: string[] = [];
  const poller: Poller = startPoller({
    mapping,
    queue,
    invoke: (event) => invoke(event as SQSEvent),
    log: (line) => lines.push(line),
  });
  ends.push(() => {
    poller.stop();
    store.close();
  });
  return { queue, lines };
}

const bodiesOf = ({ Records }: SQSEvent) => Records.map(({ body }) => body);

async function until(condition: () => boolean): Promise<void> {
  const deadlineMs = Date.now() + 5_000;
  while (!condition()) {
    if (Date.now() > deadlineMs) throw new Error('not in time');
    await sleep(2);
  }
}

describe('a function that reads a queue', () => {
  it('receives messages in batches, which are deleted when it ends', async () => {
    const batches: string[][] = [];
    const { queue } = start(async (event) => void batches.push(bodiesOf(event)));
    queue.send(Array.from({ length: 25 }, (_, index) => ({ body: String(index) })));
    await until(() => batches.length === 3);
    expect(batches.map(({ length }) => length)).toEqual([10, 10, 5]);
    await until(() => queue.counts().inFlight === 0);
    await sleep(VISIBILITY_MS * 2);
    expect(batches).toHaveLength(3);
  });

  it('receives again the messages at which it failed, and only those', async () => {
    const messages: string[] = [];
    const { queue } = start(async (event) => {
      const fails = messages.length === 0;
      messages.push(...bodiesOf(event));
      return { batchItemFailures: fails ? [{ itemIdentifier: event.Records[1]?.messageId }] : [] };
    });
    queue.send(['a', 'b', 'c'].map((body) => ({ body })));
    await until(() => messages.length === 4);
    expect(messages).toEqual(['a', 'b', 'c', 'b']);
  });

  it('receives the whole batch again if it throws', async () => {
    let calls = 0;
    const { queue, lines } = start(async () => {
      calls += 1;
      if (calls === 1) throw new Error('the process ended');
    });
    queue.send([{ body: 'a' }]);
    await until(() => calls === 2);
    expect(lines).toEqual(['work: the process ended']);
  });

  it('runs no more often at once than a tenth of what it may in Lambda', async () => {
    let [running, maxRunning, handled] = [0, 0, 0];
    const run = async (event: SQSEvent) => {
      running += 1;
      maxRunning = Math.max(maxRunning, running);
      await sleep(5);
      running -= 1;
      handled += event.Records.length;
    };
    const { queue } = start(run, { batchSize: 1, maxConcurrency: 30 });
    queue.send(Array.from({ length: 20 }, (_, index) => ({ body: String(index) })));
    await until(() => handled === 20);
    expect(maxRunning).toBe(3);
  });

  it('receives a delayed message after its delay', async () => {
    const messages: number[] = [];
    const { queue } = start(async () => void messages.push(Date.now()));
    const sentMs = Date.now();
    queue.send([{ body: 'later', delayMs: 80 }]);
    await until(() => messages.length === 1);
    expect((messages[0] ?? 0) - sentMs).toBeGreaterThanOrEqual(79);
  });
});
