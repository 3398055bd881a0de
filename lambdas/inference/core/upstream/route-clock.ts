/** The clocks of one attempt of one route: the time limits of a stream's first content and of the complete response. */
import type { After, CallContext, Clock, EventFormat } from '../../../platform/core/ports.ts';
import type { CatalogRoute } from '../catalog/catalog-document.ts';
import { type FailureKind, UpstreamFailure } from './provider.ts';

/**
 * The remaining time of a call: the limit of its server, and the limit of its caller, who receives nothing before the
 * route responds.
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
const MIN_SILENCE_MS = 100;

/**
 * Returns the remaining time of a call whose caller waits from now on. Before, the caller may still have been sending
 * the request. A stream of events contains heartbeats. Any other response sends its first byte only when its route
 * responds or ends.
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

/** Returns whether the route's time to respond has ended because its caller has received no byte until now. */
export const isSilenceOver = ({ silentTimeMs }: TimeLeft): boolean =>
  silentTimeMs !== undefined && silentTimeMs < MIN_SILENCE_MS;

/**
 * The time for which a provider continues reading after the last event, so that its connection can be reused. If the
 * server does not end its body in time, the connection is closed.
 */
const DRAIN_MS = 1_000;

/**
 * The failure that ends a connection without a reader. It is created once, because a new one for each call would record
 * its stack each time.
 */
const READER_LEFT = new UpstreamFailure('interrupted');

/** Returns whether a response was interrupted because its reader left. The route is not at fault. */
export const hasLeft = (failure: UpstreamFailure): boolean => failure === READER_LEFT;

export interface RouteClock {
  /** Fires with an `UpstreamFailure` when time is up. */
  readonly signal: AbortSignal;
  /** The first content is here. */
  stopFirstByte(): void;
  /** Stops the clocks and frees the connection. `complete` states whether the response was read to its end. */
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
  const startTimeout = (routeMs: number, callMs: number) =>
    after(Math.max(0, Math.min(routeMs, callMs)), () => abort(callMs < routeMs ? 'deadline' : 'timeout'));
  // A complete response sends nothing before its end.
  const stopTotal = startTimeout(
    route.timeout_ms,
    stream ? remainingTimeMs : Math.min(remainingTimeMs, silentTimeMs),
  );
  const stopFirstByte = stream ? startTimeout(route.first_byte_timeout_ms, silentTimeMs) : () => {};
  const onHostEnd = () => abort('deadline');
  hostEnds?.addEventListener('abort', onHostEnd, { once: true });
  return {
    signal: controller.signal,
    stopFirstByte,
    close(complete) {
      stopTotal();
      stopFirstByte();
      hostEnds?.removeEventListener('abort', onHostEnd);
      if (complete) after(DRAIN_MS, () => controller.abort(READER_LEFT));
      else controller.abort(READER_LEFT);
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

/**
 * Reports an aborted read as the reason of the abort, whatever the transport throws, and any other failure of it as an
 * interruption.
 */
export function guarded<T>(source: AsyncIterator<T>, signal: AbortSignal): AsyncIterator<T> {
  return {
    async next() {
      try {
        return await source.next();
      } catch (failure) {
        if (signal.aborted) throw signal.reason;
        if (failure instanceof UpstreamFailure) throw failure;
        throw new UpstreamFailure('interrupted', { cause: failure });
      }
    },
    async return() {
      await source.return?.();
      return { done: true, value: undefined };
    },
  };
}
