import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { SQSEvent } from 'aws-lambda';
import { until } from '../../test-kit/waiting.ts';
import type { MappingDescription } from '../assembly/queues.ts';
import { describedQueue } from '../testing/described-queue.ts';
import { type Poller, startPoller } from './poller.ts';
import { Queues } from './queues.ts';
import { openMessagingStore } from './store.ts';

/** No test takes as long, so that a message is received again only if its function failed. */
const VISIBILITY_MS = 3_600_000;

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

function start(
  invoke: (event: SQSEvent) => Promise<unknown>,
  changes: Partial<MappingDescription> = {},
  visibilityMs = VISIBILITY_MS,
) {
  const store = openMessagingStore(':memory:');
  const description = describedQueue('work', { visibilityMs });
  const queue = new Queues({ descriptions: [description], store, clock: Date.now }).byArn(description.arn);
  const mapping = {
    functionName: 'f',
    queueArn: description.arn,
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

describe('a function that reads a queue', () => {
  it('receives messages in batches, which are deleted when it ends', async () => {
    const batches: string[][] = [];
    const { queue } = start(async (event) => void batches.push(bodiesOf(event)));
    queue.send(Array.from({ length: 25 }, (_, index) => ({ body: String(index) })));
    await until(() => batches.length === 3, Boolean);
    expect(batches.map(({ length }) => length)).toEqual([10, 10, 5]);
    await until(() => queue.counts().inFlight === 0, Boolean);
    expect(queue.counts()).toEqual({ visible: 0, inFlight: 0, delayed: 0 });
  });

  it('receives the whole batch again if it throws', async () => {
    let calls = 0;
    const failOnce = async () => {
      calls += 1;
      if (calls === 1) throw new Error('the process ended');
    };
    const { queue, lines } = start(failOnce, {}, 60);
    queue.send([{ body: 'a' }]);
    await until(() => calls >= 2, Boolean);
    expect(lines).toEqual(['work: the process ended']);
  });

  it('runs no more often at once than a tenth of what it may in Lambda', async () => {
    let [running, maxRunning, handled] = [0, 0, 0];
    const run = async (event: SQSEvent) => {
      running += 1;
      maxRunning = Math.max(maxRunning, running);
      await nextTurn();
      running -= 1;
      handled += event.Records.length;
    };
    const { queue } = start(run, { batchSize: 1, maxConcurrency: 30 });
    queue.send(Array.from({ length: 20 }, (_, index) => ({ body: String(index) })));
    await until(() => handled === 20, Boolean);
    expect(maxRunning).toBe(3);
  });
});
