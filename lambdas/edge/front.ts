/** What every endpoint stands behind on every host: a request id, one log line with metrics, errors in the right envelope. */
import { DIMENSIONS, METRICS } from '../contract/metrics.ts';
import type { Surface } from '../contract/route.ts';
import { toServiceError } from '../core/errors.ts';
import type { CallContext, Clock, Endpoint, Log, Measured, UlidSource } from '../core/ports.ts';
import { errorResponse } from './envelope.ts';
import { firstFrameOf } from './sse.ts';

export interface FrontDependencies {
  readonly clock: Clock;
  readonly ulid: UlidSource;
  readonly log: Log;
}

/** What a host knows of a call. */
export type HostContext = Pick<CallContext, 'remainingTimeMs' | 'pathParameters'>;

export type Handler = (request: Request, host: HostContext) => Promise<Response>;

/** Never throws: a failure is answered, and logged without the request's content. */
export function front(
  endpoint: Endpoint,
  surface: Surface | ((request: Request) => Surface),
  { clock, ulid, log }: FrontDependencies,
): Handler {
  return async (request, host) => {
    const startedMs = clock();
    const requestId = `req_${ulid()}`;
    const errorSurface = typeof surface === 'function' ? surface(request) : surface;
    const { made, errorType } = await answer(endpoint, errorSurface, request, { ...host, requestId, log });
    // A response that was made elsewhere may not let its headers be changed.
    const response = new Response(made.body, made);
    response.headers.set('x-request-id', requestId);
    const { status } = response;
    const line = { requestId, status, ms: clock() - startedMs };
    const firstFrame = firstFrameOf(made);
    if (firstFrame === undefined) log.info('answered', line, measuredError(status, errorType));
    else
      firstFrame.then(() => {
        log.info('answered', line, { values: { [METRICS.timeToFirstToken]: clock() - startedMs } });
      });
    return response;
  };
}

async function answer(
  endpoint: Endpoint,
  surface: Surface,
  request: Request,
  context: CallContext,
): Promise<{ readonly made: Response; readonly errorType?: string }> {
  try {
    return { made: await endpoint(request, context) };
  } catch (failure) {
    const error = toServiceError(failure);
    if (error.code === 'internal_error' || error.code === 'overloaded') {
      const { name, stack } = (error.cause ?? error) as Error;
      context.log.error(error.code === 'overloaded' ? 'overloaded' : 'internal error', {
        requestId: context.requestId,
        name,
        stack: framesOf(stack),
      });
    }
    return { made: errorResponse(error, surface, context.requestId), errorType: error.type };
  }
}

/** An error that the endpoint answered itself, as the health check does, has no type. */
const measuredError = (status: number, errorType = 'none'): Measured | undefined =>
  status < 400
    ? undefined
    : { values: { [METRICS.errors]: 1 }, dimensions: { [DIMENSIONS.errorType]: errorType } };

/** Where it happened. The lines above the frames are the message, which may quote the request. */
export const framesOf = (stack: string | undefined): string =>
  (stack ?? '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .join('\n');
