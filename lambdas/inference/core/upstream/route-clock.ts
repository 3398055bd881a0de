/** The clocks of one try of one route: the first content of a stream, and the whole answer. */
import type { After, CallContext, Clock, EventFormat } from '../../../platform/core/ports.ts';
import type { Route } from '../catalog/catalog-document.ts';
import { type FailureKind, UpstreamFailure } from './provider.ts';

/** What is left of a call's time: its host's, and that of its caller, to whom nothing may be sent before its route answers. */
export interface TimeLeft {
  /** Milliseconds until the host ends the call. */
  readonly remainingTimeMs: number;
  /** Milliseconds until its caller must have had a byte; absent where something is sent meanwhile. */
  readonly silentTimeMs?: number | undefined;
}

/**
 * What is left of the host's time when the upstream is cut off: enough for an error event, two rounds of database
 * calls with the SDK's retries, and the last bytes.
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

/** What a route may take of it. */
export const routeTimeOf = ({ remainingTimeMs, silentTimeMs }: TimeLeft): TimeLeft => ({
  remainingTimeMs: remainingTimeMs - SETTLE_MARGIN_MS,
  ...(silentTimeMs === undefined ? {} : { silentTimeMs: silentTimeMs - SETTLE_MARGIN_MS }),
});

/** Whether a route would have to answer before it could be asked, because its caller has had no byte for so long. */
export const isSilenceOver = ({ silentTimeMs }: TimeLeft): boolean =>
  silentTimeMs !== undefined && silentTimeMs < LEAST_SILENCE_MS;

/**
 * A provider goes on reading after the last event, so that its connection can be used again; a server that does not
 * end its body by then loses the connection.
 */
const DRAIN_MS = 1_000;

/** Why a connection ends that nobody reads any more. Made once: one made for each call would take its stack each time. */
const LEFT = new UpstreamFailure('interrupted');

/** Whether an answer broke off because its reader left, and by no fault of the route's. */
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
  readonly route: Route;
  /** Whether the first content has a time of its own. */
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
