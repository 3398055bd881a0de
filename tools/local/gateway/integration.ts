/** Lambda proxy integrations: an event to the function, its answer to the client. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { GATEWAY_SILENCE_SECONDS, LAMBDA_PAYLOAD_BYTES } from '../../../lambdas/platform/contract/limits.ts';
import { FunctionTimedOut, HandlerFailure } from '../functions/function-errors.ts';
import { MalformedResponse, readBufferedResponse } from './buffered-answer.ts';
import { faults, GatewayFault } from './gateway-fault.ts';
import { createProxyEvent } from './proxy-event.ts';
import type { GatewayRequestContext } from './request-context.ts';
import type { GatewayMatch } from './router.ts';
import { relayStream } from './stream-answer.ts';

/** Invokes a function with an event (JSON); see `FunctionHost.invoke`. */
export type InvokeFunction = (functionArn: string, event: Buffer, requestId: string) => Promise<Readable>;

interface GatewayExchange {
  readonly match: GatewayMatch;
  readonly context: GatewayRequestContext;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: Buffer;
}

/** Answers the client; throws a `GatewayFault` while nothing has been sent. */
export type Integration = (exchange: GatewayExchange) => Promise<void>;

export interface IntegrationOptions {
  readonly invoke: InvokeFunction;
  readonly log: (line: string) => void;
  /** Replaces how long a streamed answer may be silent, before its headers too. */
  readonly silenceMs?: number | undefined;
}

export function createIntegration({
  invoke,
  log,
  silenceMs = GATEWAY_SILENCE_SECONDS * 1000,
}: IntegrationOptions): Integration {
  return async (exchange) => {
    const { match, context } = exchange;
    const { timeoutMs, transfer, functionArn } = match.route;
    const isStream = transfer === 'stream';
    const event = Buffer.from(JSON.stringify(createProxyEvent(exchange)));
    if (event.length > LAMBDA_PAYLOAD_BYTES) throw faults.requestTooLarge();
    try {
      const source = await within(
        isStream ? Math.min(timeoutMs, silenceMs) : timeoutMs,
        invoke(functionArn, event, randomUUID()),
      );
      const { requestId } = context;
      if (isStream) await relayStream({ source, response: exchange.response, requestId, silenceMs });
      else await sendBuffered(source, exchange);
    } catch (failure) {
      throw toFault(failure, exchange, log);
    }
  };
}

/** Gives up waiting; the function runs on, as it does with API Gateway, and its answer is dropped. */
async function within(timeoutMs: number, response: Promise<Readable>): Promise<Readable> {
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(faults.functionTimedOut()), timeoutMs);
  });
  try {
    return await Promise.race([response, expired]);
  } catch (failure) {
    response.then(
      (late) => late.on('error', () => {}).resume(),
      () => {},
    );
    throw failure;
  } finally {
    clearTimeout(timer);
  }
}

async function sendBuffered(
  source: Readable,
  { match, context, request, response }: GatewayExchange,
): Promise<void> {
  const { status, headers, body } = await readBufferedResponse({
    source,
    binaryMediaTypes: match.api.binaryMediaTypes,
    accept: request.headers.accept,
  });
  response.writeHead(status, {
    ...headers,
    'content-length': body.length,
    'x-amzn-RequestId': context.requestId,
  });
  response.end(body);
}

function toFault(
  failure: unknown,
  { match, response }: GatewayExchange,
  log: (line: string) => void,
): unknown {
  if (failure instanceof GatewayFault) return failure;
  if (failure instanceof FunctionTimedOut) return faults.functionTimedOut();
  const location = `${match.route.method} ${match.route.resourcePath}`;
  const reason = failure instanceof Error ? failure.message : String(failure);
  if (response.headersSent) log(`${location}: the stream broke: ${reason}`);
  else if (failure instanceof HandlerFailure) log(`${location}: ${reason}`);
  else if (failure instanceof MalformedResponse)
    log(`${location}: malformed answer of the function: ${reason}`);
  else log(`${location}: the answer broke: ${reason}`);
  return faults.functionFailed();
}
