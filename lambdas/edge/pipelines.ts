/** The Lambda host of the API's routes: one pipeline for those that stream, one for those that API Gateway buffers. */
import middy from '@middy/core';
import { executionModeStreamifyResponse } from '@middy/core/StreamifyResponse';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { pathParametersOf, toRequest } from './proxy-event.ts';
import type { Handler } from './request-handler.ts';

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
