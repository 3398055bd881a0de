/**
 * An endpoint as hosts call it: with a request id, one log line that contains the metrics, and errors in the right
 * envelope.
 */

import { EDGE_SILENCE_SECONDS, SECURITY_HEADERS, VIEWER_IP_HEADER } from '../contract/limits.ts';
import { DIMENSIONS, METRICS } from '../contract/metrics.ts';
import type { Surface } from '../contract/route.ts';
import { isStoppedByMaintenance } from '../contract/stage.ts';
import { type Deprecation, deprecationHeaders } from '../core/deprecation.ts';
import { CallerLeft, ServiceError, toServiceError } from '../core/errors.ts';
import type {
  After,
  CallContext,
  Clock,
  HttpRequest,
  Log,
  Measurement,
  StreamedResponse,
  StreamingEndpoint,
  StreamOutcome,
  UlidSource,
} from '../core/ports.ts';
import type { StageCheck } from '../core/stage-check.ts';
import { errorBody, errorResponse } from './error-response.ts';
import { DeliveredBody, type StreamedBody } from './streamed-response.ts';

export interface RequestHandlerDependencies {
  readonly clock: Clock;
  readonly after: After;
  readonly ulid: UlidSource;
  readonly log: Log;
  /** Rejects requests that the process may not serve, before their endpoint. Absent if the endpoint checks it, or uses no data. */
  readonly stage?: Pick<StageCheck, 'check'>;
}

/** The data that a server has about a call. */
export interface HostContext
  extends Pick<CallContext, 'remainingTimeMs' | 'silenceMs' | 'pathParameters' | 'body'> {
  /** Lambda's own id of the invocation, which the gateway's log has too. */
  readonly functionRequestId?: string;
}

/** A response as hosts send it. */
export interface HostResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** A text is complete; there may be nothing of it. */
  readonly body: string | StreamedBody;
}

export type Handler = (request: HttpRequest, hostContext: HostContext) => Promise<HostResponse>;

/** One call in progress: the data for its log line. */
interface Call {
  readonly requestId: string;
  readonly functionRequestId: string | undefined;
  readonly startedMs: number;
  readonly surface: Surface;
  /** Fields that the endpoint has added. */
  readonly notes: Record<string, unknown>;
  readonly dependencies: RequestHandlerDependencies;
}

/**
 * Creates a handler that never throws: a failure becomes a response, and is logged without the request's content. A
 * streamed response is logged after its end, with its outcome: a failure after its first chunk counts like one before
 * it.
 */
export function createRequestHandler(
  endpoint: StreamingEndpoint,
  surface: Surface | ((request: HttpRequest) => Surface),
  dependencies: RequestHandlerDependencies,
): Handler {
  const { clock, ulid, log, stage } = dependencies;
  return async (request, hostContext) => {
    const requestId = `req_${ulid()}`;
    const errorSurface = typeof surface === 'function' ? surface(request) : surface;
    const { functionRequestId, ...context } = hostContext;
    const startedMs = clock();
    const notes: Record<string, unknown> = {};
    const call = { requestId, functionRequestId, startedMs, surface: errorSurface, notes, dependencies };
    const note = (fields: Readonly<Record<string, unknown>>) => void Object.assign(notes, fields);
    const deprecations: Deprecation[] = [];
    const deprecate = (deprecation: Deprecation) => void deprecations.push(deprecation);
    const response = await respond(async () => {
      requireShortNames(context.pathParameters);
      await stage?.check(isStoppedByMaintenance(request.method) ? 'change' : 'read');
      return endpoint(request, { ...context, requestId, note, deprecate, log });
    }, call);
    const headers = {
      ...response.headers,
      ...deprecationHeaders(deprecations),
      'x-request-id': requestId,
      // The name that Anthropic's SDKs read.
      'request-id': requestId,
      ...SECURITY_HEADERS,
    };
    return { ...response, headers };
  };
}

/** More than any id, model or version has, and less than a key of the database may have. */
const MAX_NAME_BYTES = 512;

/** Throws 404 for a path that names what cannot exist: the database would reject the name as an error of the service. */
function requireShortNames(pathParameters: CallContext['pathParameters']): void {
  if (Object.values(pathParameters).some((name) => Buffer.byteLength(name) > MAX_NAME_BYTES))
    throw new ServiceError('unknown_path', 'There is no such path.');
}

async function respond(run: () => ReturnType<StreamingEndpoint>, call: Call): Promise<HostResponse> {
  try {
    const result = await run();
    if ('body' in result) return stream(result, call);
    const { status = 200, headers, text: body } = result;
    logResponse(call, { status }, status < 400 ? undefined : errorCount());
    return { status, headers, body };
  } catch (failure) {
    if (failure instanceof CallerLeft) return responseToNobody(call);
    const error = toServiceError(failure);
    logInternal(error, call);
    const values = isOfOthers(error, call) ? { [METRICS.failuresOfOthers]: 1 } : {};
    logResponse(call, { status: error.status, code: error.code }, errorCount(error, values));
    return errorResponse(error, call.surface, call.requestId);
  }
}

/** Its caller left before the request was complete, which is no failure of the service. Hosts still need a response. */
function responseToNobody(call: Call): HostResponse {
  logResponse(call, { outcome: 'cancelled' }, undefined);
  return { status: 400, headers: {}, body: '' };
}

const EVENT_STREAM = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' };

function stream(response: StreamedResponse, call: Call): HostResponse {
  const { clock, after } = call.dependencies;
  let firstChunkMs: number | undefined;
  const measured = (outcome: StreamOutcome): Measurement | undefined => {
    if (outcome.status === 'failed') return errorCount(toServiceError(outcome.failure));
    if (firstChunkMs === undefined || response.events === undefined) return undefined;
    return { values: { [METRICS.timeToFirstToken]: firstChunkMs - call.startedMs } };
  };
  const body = new DeliveredBody(response, {
    clock,
    after,
    envelopeOf: (failure) => errorBody(toServiceError(failure), call.surface, call.requestId),
    onFirstChunk: () => {
      firstChunkMs = clock();
    },
    onEnd: (outcome) => {
      const error = outcome.status === 'failed' ? toServiceError(outcome.failure) : undefined;
      if (error !== undefined) logInternal(error, call);
      const failed = error === undefined ? {} : { code: error.code };
      logResponse(call, { status: 200, outcome: outcome.status, ...failed }, measured(outcome));
    },
  });
  const headers = response.events === undefined ? response.headers : { ...EVENT_STREAM, ...response.headers };
  return { status: 200, headers, body };
}

/** A failure of the service's own or of its database, with where it happened. */
function logInternal(error: ServiceError, { requestId, dependencies }: Call): void {
  if (error.code !== 'internal_error' && error.code !== 'overloaded') return;
  const failure = (error.cause ?? error) as Error & { readonly $fault?: unknown };
  const { name, stack } = failure;
  // What AWS says of a failure of its own quotes no request.
  const reason = failure.$fault === 'server' ? { reason: failure.message } : {};
  dependencies.log.error(error.code.replace('_', ' '), {
    requestId,
    name,
    ...reason,
    stack: framesOf(stack),
  });
}

function logResponse(
  { requestId, functionRequestId, startedMs, notes, dependencies: { clock, log } }: Call,
  fields: Readonly<Record<string, unknown>>,
  measured: Measurement | undefined,
): void {
  const ids = functionRequestId === undefined ? { requestId } : { requestId, functionRequestId };
  log.info('answered', { ...ids, ...fields, ...notes, ms: clock() - startedMs }, measured);
}

/** Counts an error. An error response of the endpoint itself, such as the health check's, has no type. */
const errorCount = (error?: ServiceError, more: Measurement['values'] = {}): Measurement => ({
  values: {
    [METRICS.errors]: 1,
    ...(isFault(error) ? { [METRICS.requestsFailed]: 1 } : {}),
    ...more,
  },
  dimensions: { [DIMENSIONS.errorType]: error?.type ?? 'none' },
});

/**
 * Returns whether the error is the service's fault. A request that is repeated while it is still in progress is the
 * caller's fault, and maintenance is intended.
 */
const isFault = (error: ServiceError | undefined): boolean =>
  error !== undefined &&
  error.status >= 500 &&
  error.code !== 'idempotent_request_in_progress' &&
  error.code !== 'maintenance';

/** Returns whether a response of a host has a 5xx for which no release is to blame. Those of functions would hide a host's own. */
const isOfOthers = ({ status, code }: ServiceError, { functionRequestId }: Call): boolean =>
  functionRequestId === undefined && status >= 500 && code !== 'internal_error' && code !== 'overloaded';

/**
 * Returns the location of an error, as its stack frames. The lines above the frames are the message, which may quote
 * the request.
 */
export const framesOf = (stack: string | undefined): string =>
  (stack ?? '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .join('\n');

/**
 * Milliseconds. `hostMs` is what stands before the host in any case; absent where nothing does. A caller who sets
 * CloudFront's header himself has less time for it.
 */
export const silenceOf = (headers: Pick<Headers, 'has'>, hostMs?: number): number | undefined =>
  headers.has(VIEWER_IP_HEADER) ? EDGE_SILENCE_SECONDS * 1000 : hostMs;
