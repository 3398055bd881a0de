/** One try of one route under its clocks: the first content of a stream, and the whole answer. */
import type { After } from '../ports.ts';
import {
  type Attempt,
  type FailureKind,
  type Provider,
  type Reply,
  type ReplyEvent,
  UpstreamFailure,
} from './provider.ts';

/** An answer that has begun: a whole body, or a stream whose first content is here. */
export type Answer =
  | Extract<Reply, { kind: 'json' }>
  | {
      readonly kind: 'stream';
      /** What came up to and including the first content. */
      readonly opening: readonly ReplyEvent[];
      readonly rest: AsyncIterator<ReplyEvent>;
      /** Stops the clocks and frees the connection; `complete` tells whether the stream was read to its end. */
      readonly close: (complete: boolean) => void;
    };

/**
 * A provider goes on reading after the last event, so that its connection can be used again; a server that does not
 * end its body by then loses the connection.
 */
const DRAIN_MS = 1_000;

/** Why a connection ends that nobody reads any more. Made once: one made for each call would take its stack each time. */
const LEFT = new UpstreamFailure('interrupted');

export interface AttemptOptions extends Omit<Attempt, 'signal'> {
  readonly provider: Provider;
  readonly after: After;
  /** Milliseconds until the host ends the call. */
  readonly remainingTimeMs: number;
}

/** Runs the attempt; throws `UpstreamFailure` when it ends before its first content. */
export async function attemptRoute(options: AttemptOptions): Promise<Answer> {
  const { provider, after, route } = options;
  const controller = new AbortController();
  const abort = (kind: FailureKind) => controller.abort(new UpstreamFailure(kind));
  const totalMs = Math.max(0, Math.min(route.timeout_ms, options.remainingTimeMs));
  const stopTotal = after(totalMs, () => abort(totalMs < route.timeout_ms ? 'deadline' : 'timeout'));
  const stopFirst = options.payload.stream
    ? after(route.first_byte_timeout_ms, () => abort('timeout'))
    : () => {};
  const close = (complete: boolean) => {
    stopTotal();
    stopFirst();
    if (complete) after(DRAIN_MS, () => controller.abort(LEFT));
    else controller.abort(LEFT);
  };
  try {
    const reply = await abortable(
      provider.chat({ ...options, signal: controller.signal }),
      controller.signal,
    );
    if (reply.kind === 'json') {
      stopTotal();
      return reply;
    }
    const rest = guard(reply.events[Symbol.asyncIterator](), controller.signal);
    const opening = await untilContent(rest);
    stopFirst();
    return { kind: 'stream', opening, rest, close };
  } catch (failure) {
    close(false);
    throw failure;
  }
}

async function untilContent(events: AsyncIterator<ReplyEvent>): Promise<ReplyEvent[]> {
  const opening: ReplyEvent[] = [];
  for (;;) {
    const next = await events.next();
    if (next.done) return opening;
    opening.push(next.value);
    if (next.value.content) return opening;
  }
}

/** Settles with the work or, when the signal fires first, with the signal's reason. */
async function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
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
function guard(events: AsyncIterator<ReplyEvent>, signal: AbortSignal): AsyncIterator<ReplyEvent> {
  return {
    async next() {
      try {
        return await events.next();
      } catch (failure) {
        throw signal.aborted ? signal.reason : failure;
      }
    },
    async return() {
      await events.return?.();
      return { done: true, value: undefined };
    },
  };
}
