/** The clocks of one try of one route: the first content of a stream, and the whole answer. */
import type { After, CallContext, Clock, EventFormat } from '../../../platform/core/ports.ts';
import type { CatalogRoute } from '../catalog/catalog-document.ts';
import { type FailureKind, UpstreamFailure } from './provider.ts';

/**
 * The remaining time of a call: that of its host, and that of its caller, who can receive nothing before its route
 * answers.
 */
export interface TimeLeft {
  /** Milliseconds until the host ends the call. */
  readonly remainingTimeMs: number;
  /** Milliseconds until its caller must have had a byte; absent where something is sent meanwhile. */
  readonly silentTimeMs?: number | undefined;
}

/**
 * Milliseconds of the host's time that remain when the upstream is cut off. They are enough for an error event, two
 * rounds of database calls with the SDK's retries, and the last bytes.
 */
const SETTLE_MARGIN_MS = 15_000;

/** Less is no time for a try; timers are late or early by milliseconds. */
const LEAST_SILENCE_MS = 100;

/**
 * The time of a call whose caller waits from now on: until its request was read, it may have been sending. Events have
 * heartbeats among them; any other answer begins when its route's does, or ends.
 */
export function timeFrom(
  context: Pick<CallContext, 'remainingTimeMs' | 'silenceMs'>,
  clock: Clock,
  events: EventFormat | undefined,
): () => TimeLeft {
  const ofHost = () => ({ remainingTimeMs: context.remainingTimeMs() });
  if (events !== undefined || context.silenceMs === undefined) return ofHost;
  const cutMs = clock() + context.silenceMs;
  return () => ({ ...ofHost(), silentTimeMs: cutMs - clock() });
}

/** Returns the part of the remaining time that a route may take. */
export const routeTimeOf = ({ remainingTimeMs, silentTimeMs }: TimeLeft): TimeLeft => ({
  remainingTimeMs: remainingTimeMs - SETTLE_MARGIN_MS,
  ...(silentTimeMs === undefined ? {} : { silentTimeMs: silentTimeMs - SETTLE_MARGIN_MS }),
});

/** Returns whether the time is over in which a route can answer, because its caller has received no byte until now. */
export const isSilenceOver = ({ silentTimeMs }: TimeLeft): boolean =>
  silentTimeMs !== undefined && silentTimeMs < LEAST_SILENCE_MS;

/**
 * A provider goes on reading after the last event, so that its connection can be used again; a server that does not
 * end its body by then loses the connection.
 */
const DRAIN_MS = 1_000;

/**
 * The failure that ends a connection without a reader. It is created once, because a new one for each call would record
 * its stack each time.
 */
const LEFT = new UpstreamFailure('interrupted');

/** Returns whether an answer broke off because its reader left, without a fault of the route. */
export const hasLeft = (failure: UpstreamFailure): boolean => failure === LEFT;

export interface RouteClock {
  /** Fires with an `UpstreamFailure` when time is up. */
  readonly signal: AbortSignal;
  /** The first content is here. */
  begun(): void;
  /** Stops the clocks and frees the connection; `complete` says whether the answer was read to its end. */
  close(complete: boolean): void;
}

export interface RouteClockOptions extends TimeLeft {
  readonly after: After;
  readonly route: CatalogRoute;
  /** True if the first content has a separate time limit. */
  readonly stream: boolean;
  /** Fires when the host ends the calls that are open. */
  readonly hostEnds?: AbortSignal | undefined;
}

export function startRouteClock(options: RouteClockOptions): RouteClock {
  const {
    after,
    route,
    remainingTimeMs,
    silentTimeMs = Number.POSITIVE_INFINITY,
    stream,
    hostEnds,
  } = options;
  const controller = new AbortController();
  const abort = (kind: FailureKind) => controller.abort(new UpstreamFailure(kind));
  const end = (routeMs: number, callMs: number) =>
    after(Math.max(0, Math.min(routeMs, callMs)), () => abort(callMs < routeMs ? 'deadline' : 'timeout'));
  // A whole answer sends nothing before its end.
  const stopTotal = end(route.timeout_ms, stream ? remainingTimeMs : Math.min(remainingTimeMs, silentTimeMs));
  const begun = stream ? end(route.first_byte_timeout_ms, silentTimeMs) : () => {};
  const onHostEnd = () => abort('deadline');
  hostEnds?.addEventListener('abort', onHostEnd, { once: true });
  return {
    signal: controller.signal,
    begun,
    close(complete) {
      stopTotal();
      begun();
      hostEnds?.removeEventListener('abort', onHostEnd);
      if (complete) after(DRAIN_MS, () => controller.abort(LEFT));
      else controller.abort(LEFT);
    },
  };
}

/** Settles with the work or, when the signal fires first, with the signal's reason. */
export async function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let onAbort: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    if (onAbort !== undefined) signal.removeEventListener('abort', onAbort);
  }
}

/** Reports an aborted read as the reason of the abort, whatever the transport throws. */
export function guarded<T>(source: AsyncIterator<T>, signal: AbortSignal): AsyncIterator<T> {
  return {
    async next() {
      try {
        return await source.next();
      } catch (failure) {
        throw signal.aborted ? signal.reason : failure;
      }
    },
    async return() {
      await source.return?.();
      return { done: true, value: undefined };
    },
  };
}
