/**
 * The trace that a call belongs to (W3C Trace Context, Recommendation of 2021-11-23). The ids of its spans derive from its
 * request id, so that a route that is called and an export that comes later name the same spans, and nothing is stored.
 */
import { createHash } from 'node:crypto';

export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** The span of the caller, 16 hexadecimal digits. */
  readonly spanId: string;
  /** 2 hexadecimal digits; the last bit states that the caller records its spans. */
  readonly flags: string;
}

const FORM = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;

/** Returns the parts of a `traceparent` of version 00; undefined for anything else. */
export function readTraceparent(value: string | null | undefined): TraceContext | undefined {
  const [, traceId, spanId, flags] = FORM.exec(value ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, flags };
}

/** Returns a header that is a `traceparent` of version 00; undefined for any other, which is no error. */
export const validTraceparent = (value: string | null): string | undefined =>
  value !== null && FORM.test(value) ? value : undefined;

const digest = (requestId: string, part: string): string =>
  createHash('sha256').update(`${requestId} ${part}`).digest('hex');

/** Returns the id of the trace of a call whose caller named none. */
export const traceIdOf = (requestId: string): string => digest(requestId, 'trace').slice(0, 32);

/** Returns the id of the span of a call. */
export const callSpanId = (requestId: string): string => digest(requestId, 'call').slice(0, 16);

/** Returns the id of the span of an attempt of a route; the first attempt of a call has the number 1. */
export const attemptSpanId = (requestId: string, number: number): string =>
  digest(requestId, `attempt ${number}`).slice(0, 16);

/** Returns the `traceparent` for the route of an attempt; undefined if the caller sent none. */
export function attemptTraceparent(
  { requestId, traceparent }: { readonly requestId: string; readonly traceparent?: string | undefined },
  number: number,
): string | undefined {
  const caller = readTraceparent(traceparent);
  return caller && `00-${caller.traceId}-${attemptSpanId(requestId, number)}-${caller.flags}`;
}
