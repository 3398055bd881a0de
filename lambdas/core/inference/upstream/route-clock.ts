/** The clocks of one try of one route: the first content of a stream, and the whole answer. */
import type { After } from '../../ports.ts';
import type { Route } from '../catalog/catalog-document.ts';
import { type FailureKind, UpstreamFailure } from './provider.ts';
import type { TimeLeft } from './time-left.ts';

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
