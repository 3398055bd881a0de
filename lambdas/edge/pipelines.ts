/**
 * The Lambda host of the API's routes: one pipeline for those that stream, one for those that API Gateway buffers. Each
 * has beside it what it wraps, for the shared host.
 */
import middy from '@middy/core';
import { executionModeStreamifyResponse } from '@middy/core/StreamifyResponse';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { GATEWAY_SILENCE_SECONDS } from '../contract/limits.ts';
import { pathParametersOf, toRequest } from './proxy-event.ts';
import type { Handler } from './request-handler.ts';
import { silenceOf } from './silence.ts';

/** Our own deadline ends a call in time to settle; middy's early timeout would only cut it short. */
const options = { timeoutEarlyInMillis: 0 };

/** The Lambda runtime has what streams an answer; libraries alone make an empty object of the name. */
const isFunction = (): boolean =>
  'streamifyResponse' in ((globalThis as { readonly awslambda?: object }).awslambda ?? {});

function noFunction(): never {
  throw new Error('only the Lambda runtime can call a function that streams');
}

function call(handler: Handler, event: APIGatewayProxyEvent, context: Context): Promise<Response> {
  const request = toRequest(event);
  return handler(request, {
    silenceMs: silenceOf(request.headers, GATEWAY_SILENCE_SECONDS * 1000),
    pathParameters: pathParametersOf(event),
    remainingTimeMs: () => context.getRemainingTimeInMillis(),
    functionRequestId: context.awsRequestId,
  });
}

/** For routes whose integration streams: headers leave at once, then each write as it is made. */
export function streamed(handler: Handler) {
  // The shared host is no function: there is nothing that could stream a function's answer.
  if (!isFunction()) return Object.assign(() => noFunction(), { respond: handler });
  const pipeline = middy<APIGatewayProxyEvent>({
    ...options,
    executionMode: executionModeStreamifyResponse,
  }).handler(async (event: APIGatewayProxyEvent, context: Context) => {
    const response = await call(handler, event, context);
    return {
      statusCode: response.status,
      headers: Object.fromEntries(response.headers),
      body: response.body ?? '',
    };
  });
  return Object.assign(pipeline, { respond: handler });
}

/** For routes whose integration buffers. */
export function buffered(handler: Handler) {
  const pipeline = middy<APIGatewayProxyEvent>(options).handler(
    async (event: APIGatewayProxyEvent, context: Context) => {
      const response = await call(handler, event, context);
      return {
        statusCode: response.status,
        headers: Object.fromEntries(response.headers),
        body: await response.text(),
      };
    },
  );
  return Object.assign(pipeline, { respond: handler });
}
