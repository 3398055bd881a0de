/** The Lambda host: one pipeline for streamed routes, one for buffered ones; every handler is one of the two. */
import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import middy from '@middy/core';
import { executionModeStreamifyResponse } from '@middy/core/StreamifyResponse';
import type { APIGatewayProxyEvent, Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { RetryLater } from '../core/errors.ts';
import type { Log } from '../core/ports.ts';
import { framesOf, type Handler } from './front.ts';
import { pathParametersOf, toRequest } from './proxy-event.ts';

/** Our own deadline ends a call in time to settle; middy's early timeout would only cut it short. */
const options = { timeoutEarlyInMillis: 0 };

function call(handler: Handler, event: APIGatewayProxyEvent, context: Context): Promise<Response> {
  return handler(toRequest(event), {
    pathParameters: pathParametersOf(event),
    remainingTimeMs: () => context.getRemainingTimeInMillis(),
  });
}

/** For routes whose integration streams: headers leave at once, then each write as it is made. */
export function streamed(handler: Handler) {
  return middy<APIGatewayProxyEvent>({ ...options, executionMode: executionModeStreamifyResponse }).handler(
    async (event: APIGatewayProxyEvent, context: Context) => {
      const response = await call(handler, event, context);
      return {
        statusCode: response.status,
        headers: Object.fromEntries(response.headers),
        body: response.body ?? '',
      };
    },
  );
}

/** For routes whose integration buffers. */
export function buffered(handler: Handler) {
  return middy<APIGatewayProxyEvent>(options).handler(
    async (event: APIGatewayProxyEvent, context: Context) => {
      const response = await call(handler, event, context);
      return {
        statusCode: response.status,
        headers: Object.fromEntries(response.headers),
        body: await response.text(),
      };
    },
  );
}

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
 * For functions that read a queue: all messages of a batch at once, and only those that failed come back. What cannot
 * be handled comes back too, and after a few times is the dead-letter queue's.
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
    // The processor keeps what failed in itself, so every batch has its own.
    processPartialResponse(event, handle, new BatchProcessor(EventType.SQS), {
      throwOnFullBatchFailure: false,
    }),
  );
}
