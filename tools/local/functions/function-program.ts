/**
 * The program that a function's process runs: loads its bundle as Lambda would and serves its invocations over loopback HTTP,
 * whose back-pressure is then the stream's own. It ends when the process that forked it is gone.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { flushCompileCache } from 'node:module';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { Context } from 'aws-lambda';
import { LAMBDA_PAYLOAD_BYTES } from '../../../lambdas/platform/contract/limits.ts';
import { type LoadedHandler, loadHandler } from './handler-module.ts';
import {
  DEADLINE_HEADER,
  describeFailure,
  FAILURE_HEADER,
  FUNCTION_ARN_VARIABLE,
  type ProcessReport,
  REQUEST_ID_HEADER,
} from './process-protocol.ts';
import { installAwslambda, toResponseStream } from './response-stream.ts';

process.once('disconnect', () => process.exit(0));
await start();

async function start(): Promise<void> {
  const functionArn = variable(FUNCTION_ARN_VARIABLE);
  delete process.env[FUNCTION_ARN_VARIABLE];
  installAwslambda();
  let handler: LoadedHandler;
  try {
    handler = await loadHandler(variable('LAMBDA_TASK_ROOT'), variable('_HANDLER'));
  } catch (failure) {
    console.error(failure);
    return report({ failure: describeFailure(failure) });
  }
  // The pool keeps its connections for the life of the process; a timeout here would break a call now and then.
  const server = createServer(
    { keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0 },
    (request, response) => {
      invoke({ handler, functionArn, request, response }).catch((failure: unknown) =>
        fail(response, failure),
      );
    },
  );
  // A process that is killed keeps nothing by itself of what it has compiled (NODE_COMPILE_CACHE).
  server.once('request', (_request, response: ServerResponse) => response.once('close', flushCompileCache));
  server.listen(0, '127.0.0.1', () => report({ port: (server.address() as AddressInfo).port }));
}

interface Invocation {
  readonly handler: LoadedHandler;
  readonly functionArn: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

async function invoke({ handler, functionArn, request, response }: Invocation): Promise<void> {
  const event = await json(request);
  const context = createContext(request, functionArn);
  if (handler.streams) {
    const result = await handler.handle(event, toResponseStream(response), context);
    if (result !== undefined) console.warn('Streaming handlers ignore return values.');
    return;
  }
  const result = JSON.stringify((await handler.handle(event, context)) ?? null);
  const sizeBytes = Buffer.byteLength(result);
  if (sizeBytes > LAMBDA_PAYLOAD_BYTES) {
    const message = `Response payload size (${sizeBytes} bytes) exceeded maximum allowed payload size (${LAMBDA_PAYLOAD_BYTES} bytes).`;
    throw Object.assign(new Error(message), { name: 'Function.ResponseSizeTooLarge' });
  }
  response.end(result);
}

/** Before the first byte the failure is the answer; after it the stream can only break off. */
function fail(response: ServerResponse, failure: unknown): void {
  console.error('Invoke Error', failure);
  if (response.headersSent) {
    response.socket?.destroySoon();
    return;
  }
  response.setHeader(FAILURE_HEADER, 'Unhandled');
  // A handler's stream has a `write` that sends metadata first; `end` goes past it.
  response.end(JSON.stringify(describeFailure(failure)));
}

function createContext(request: IncomingMessage, invokedFunctionArn: string): Context {
  const deadlineMs = Number(request.headers[DEADLINE_HEADER]);
  const unsupported = (): never => {
    throw new Error('callback-style handlers are not supported');
  };
  return {
    awsRequestId: String(request.headers[REQUEST_ID_HEADER]),
    functionName: variable('AWS_LAMBDA_FUNCTION_NAME'),
    functionVersion: variable('AWS_LAMBDA_FUNCTION_VERSION'),
    memoryLimitInMB: variable('AWS_LAMBDA_FUNCTION_MEMORY_SIZE'),
    logGroupName: variable('AWS_LAMBDA_LOG_GROUP_NAME'),
    logStreamName: variable('AWS_LAMBDA_LOG_STREAM_NAME'),
    invokedFunctionArn,
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => Math.max(0, deadlineMs - Date.now()),
    done: unsupported,
    fail: unsupported,
    succeed: unsupported,
  };
}

function report(message: ProcessReport): void {
  process.send?.(message);
}

function variable(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`the function's process lacks the variable ${name}`);
  return value;
}
