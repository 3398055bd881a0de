/**
 * The spans of a call: one of the server, below the span of the caller, and one of a client for each attempt of a route.
 * They follow from the record alone, so a repeated export has the same bytes.
 */
import { type Attributes, type HrTime, SpanKind, SpanStatusCode } from '@opentelemetry/api';
import type { ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import type { AttemptRecord, UsageRecord } from '../../ledger/core/usage-record.ts';
import { attemptSpanId, callSpanId, readTraceparent, traceIdOf } from '../../platform/core/trace-context.ts';
import {
  type AttributeNames,
  callAttributes,
  commonAttributes,
  errorAttribute,
  errorTypeOf,
  spanName,
} from './attributes.ts';
import { timesOf } from './call-times.ts';

export type Span = Parameters<typeof ProtobufTraceSerializer.serializeRequest>[0][number];

/** The producer of the spans. */
export type SpanSource = Pick<Span, 'resource' | 'instrumentationScope'>;

interface SpanContent {
  readonly id: string;
  readonly parent?: { readonly id: string; readonly isRemote: boolean } | undefined;
  readonly kind: SpanKind;
  readonly startMs: number;
  readonly endMs: number;
  readonly errorType: string | undefined;
  readonly attributes: Attributes;
}

/** The flag of a caller that records its spans; a call without a caller's trace is recorded. */
const RECORDED = '01';

export function spansOf(call: UsageRecord, names: AttributeNames, source: SpanSource): readonly Span[] {
  const caller = readTraceparent(call.traceparent);
  const times = timesOf(call);
  const common = commonAttributes(call, names);
  const context = {
    traceId: caller?.traceId ?? traceIdOf(call.id),
    traceFlags: Number.parseInt(caller?.flags ?? RECORDED, 16),
  };
  const toSpan = ({ id, parent, kind, startMs, endMs, errorType, attributes }: SpanContent): Span => ({
    ...source,
    name: spanName(call),
    kind,
    spanContext: () => ({ ...context, spanId: id }),
    ...(parent === undefined
      ? {}
      : { parentSpanContext: { ...context, spanId: parent.id, isRemote: parent.isRemote } }),
    startTime: hrTime(startMs),
    endTime: hrTime(endMs),
    duration: hrTime(endMs - startMs),
    ended: true,
    status: { code: errorType === undefined ? SpanStatusCode.UNSET : SpanStatusCode.ERROR },
    attributes: { ...common, ...attributes },
    links: [],
    events: [],
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  });
  const server = toSpan({
    id: callSpanId(call.id),
    parent: caller && { id: caller.spanId, isRemote: true },
    kind: SpanKind.SERVER,
    startMs: times.startMs,
    endMs: times.endMs,
    errorType: errorTypeOf(call),
    attributes: callAttributes(call, names),
  });
  const clients = attemptsOf(call).map(({ number, errorType, ...attempt }) =>
    toSpan({
      id: attemptSpanId(call.id, number),
      parent: { id: callSpanId(call.id), isRemote: false },
      kind: SpanKind.CLIENT,
      startMs: times.admittedMs + attempt.startMs,
      endMs: times.admittedMs + attempt.startMs + attempt.durationMs,
      errorType,
      attributes: {
        ...errorAttribute(errorType),
        ...(attempt.failure !== undefined && HTTP_STATUS.test(attempt.failure)
          ? { 'http.response.status_code': Number(attempt.failure) }
          : {}),
        'unified_inference.route.id': attempt.route,
        'unified_inference.attempt': number,
      },
    }),
  );
  return [server, ...clients];
}

const HTTP_STATUS = /^[1-5]\d\d$/;

/** An attempt with its number, and the class of its error if it had one. */
interface NumberedAttempt extends AttemptRecord {
  readonly number: number;
  readonly errorType: string | undefined;
}

/** Returns the attempts that the record describes; the first ones of a call may be missing. */
export function attemptsOf(call: UsageRecord): readonly NumberedAttempt[] {
  const { routeAttempts = [], attempts = routeAttempts.length } = call;
  const missing = attempts - routeAttempts.length;
  return routeAttempts.map((attempt, index) => {
    const isLast = index === routeAttempts.length - 1;
    return {
      ...attempt,
      number: missing + index + 1,
      errorType: attempt.failure ?? (isLast ? errorTypeOf(call) : undefined),
    };
  });
}

export const hrTime = (ms: number): HrTime => [Math.floor(ms / 1_000), (ms % 1_000) * 1_000_000];
