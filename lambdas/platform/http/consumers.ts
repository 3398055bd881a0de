/** The Lambda host of functions that no caller waits for: schedules, workflows and queues. */
import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import middy from '@middy/core';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { RetryLater } from '../core/errors.ts';
import type { Log } from '../core/ports.ts';
import { framesOf } from './request-handler.ts';

/** Middy's early timeout would cut a run short that Lambda repeats anyway. */
const options = { timeoutEarlyInMillis: 0 };

/** For functions that no caller waits for: schedules, queues and workflows. A failure is the invoker's to retry. */
export function consumer<Input, Output>(run: (input: Input) => Promise<Output>) {
  return middy<Input, Output>(options).handler(async (event: Input) => run(event));
}

/** One message of a queue: its body, and which queue it came from. */
export interface QueueMessage {
  readonly body: unknown;
  readonly queueArn: string;
}

/**
 * For functions that read a queue: all messages of a batch at once, and only those that failed return to the
 * queue. So does what cannot be handled, which the queue moves to its dead-letter queue after a few deliveries.
 */
export function queueReader(run: (message: QueueMessage) => Promise<void>, log: Log) {
  const handle = async ({ body, messageId, eventSourceARN: queueArn }: SQSRecord): Promise<void> => {
    try {
      await run({ body: JSON.parse(body), queueArn });
    } catch (failure) {
      const { name, stack } = failure as Error;
      if (!(failure instanceof RetryLater))
        log.error('a message failed', { messageId, name, stack: framesOf(stack) });
      throw failure;
    }
  };
  return middy<SQSEvent, SQSBatchResponse>(options).handler(async (event: SQSEvent) =>
    // The processor stores its failures in itself, so every batch has a separate one.
    processPartialResponse(event, handle, new BatchProcessor(EventType.SQS), {
      throwOnFullBatchFailure: false,
    }),
  );
}
