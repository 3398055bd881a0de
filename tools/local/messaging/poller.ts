/** Lambda's poller: takes messages off a queue, invokes the function with them, and deletes those it handled. */
import { createHash } from 'node:crypto';
import { REGION } from '../assembly/intrinsics.ts';
import type { MappingDescription } from '../assembly/queues.ts';
import { startDueTimer } from './due-timer.ts';
import type { LocalQueue, ReceivedMessage } from './queue.ts';

export interface PollerOptions {
  readonly mapping: MappingDescription;
  readonly queue: LocalQueue;
  /** Invokes the function with an event and resolves with its result. */
  readonly invoke: (event: unknown) => Promise<unknown>;
  readonly log: (line: string) => void;
}

export interface Poller {
  stop(): void;
}

/**
 * One process serves all invocations of a function here, on a machine that serves everything else too, so that each queue
 * gets a tenth of what it gets in Lambda; all queues alike, because their shares keep dead receivers from the healthy.
 */
const LOCAL_SHARE = 0.1;

/** Polls until it is stopped. */
export function startPoller(options: PollerOptions): Poller {
  const { mapping, queue, log } = options;
  let running = 0;
  let stopped = false;
  let planned: NodeJS.Immediate | undefined;
  const maxConcurrency = Math.ceil(mapping.maxConcurrency * LOCAL_SHARE);

  /** Messages that are sent in one turn make one batch. */
  const plan = () => {
    planned ??= setImmediate(() => {
      planned = undefined;
      poll();
    });
  };
  const poll = () => {
    while (!stopped && running < maxConcurrency) {
      const batch = queue.receive(mapping.batchSize);
      if (batch.length === 0) break;
      running += 1;
      pass(options, batch)
        .catch((failure: Error) => log(`${queue.description.name}: ${failure.message}`))
        .finally(() => {
          running -= 1;
          if (!stopped) plan();
        });
    }
    timer.touch();
  };
  const timer = startDueTimer({ next: () => queue.nextVisibleMs, run: plan });
  queue.onChange = plan;
  plan();
  return {
    stop() {
      stopped = true;
      if (planned !== undefined) clearImmediate(planned);
      timer.stop();
    },
  };
}

/** Delivers a batch. What the function failed at, or did not live to answer, returns to the queue when its time is over. */
export async function pass(
  { mapping, queue, invoke }: PollerOptions,
  batch: readonly ReceivedMessage[],
): Promise<void> {
  const result = await invoke({ Records: batch.map((message) => recordOf(message, queue)) });
  const failed = mapping.partialFailures ? failuresOf(result) : new Set<string>();
  if (failed.has('')) return;
  queue.delete(batch.filter(({ id }) => !failed.has(id)).map(({ receipt }) => receipt));
}

/** Lambda developer guide, reporting batch item failures: an empty id fails the whole batch. */
function failuresOf(result: unknown): ReadonlySet<string> {
  const { batchItemFailures: failures = [] } = (result ?? {}) as {
    batchItemFailures?: readonly { readonly itemIdentifier?: string }[];
  };
  return new Set(failures.map(({ itemIdentifier = '' }) => itemIdentifier));
}

/** Lambda developer guide, example SQS event. */
function recordOf(message: ReceivedMessage, { description }: LocalQueue): Record<string, unknown> {
  return {
    messageId: message.id,
    receiptHandle: message.receipt,
    body: message.body,
    attributes: {
      ApproximateReceiveCount: String(message.receives),
      SentTimestamp: String(message.sentMs),
      ApproximateFirstReceiveTimestamp: String(message.firstReceivedMs),
      ...(message.groupId === null ? {} : { MessageGroupId: message.groupId }),
    },
    messageAttributes: {},
    md5OfBody: md5(message.body),
    eventSource: 'aws:sqs',
    eventSourceARN: description.arn,
    awsRegion: REGION,
  };
}

/** SQS's check of a body; the SDK refuses an answer without it. */
export const md5 = (text: string): string => createHash('md5').update(text).digest('hex');
