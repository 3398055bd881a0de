/** One try of one route for a conversation, under its clocks. */
import type { Attempt, Provider, Reply, ReplyEvent } from '../upstream/provider.ts';
import { abortable, guarded, type RouteClockOptions, startRouteClock } from '../upstream/route-clock.ts';

/** An answer that has begun: a whole body, or a stream whose first content is here. */
export type Answer =
  | Extract<Reply, { kind: 'json' }>
  | {
      readonly kind: 'stream';
      /** What came up to and including the first content. */
      readonly opening: readonly ReplyEvent[];
      readonly rest: AsyncIterator<ReplyEvent>;
      /** Stops the clocks and frees the connection; `complete` says whether the stream was read to its end. */
      readonly close: (complete: boolean) => void;
    };

export interface AttemptOptions extends Omit<Attempt, 'signal'>, Omit<RouteClockOptions, 'stream'> {
  readonly provider: Provider;
}

/** Runs the attempt; throws `UpstreamFailure` when it ends before its first content. */
export async function attemptRoute(options: AttemptOptions): Promise<Answer> {
  const clock = startRouteClock({ ...options, stream: options.payload.stream });
  const { signal } = clock;
  try {
    const reply = await abortable(options.provider.chat({ ...options, signal }), signal);
    if (reply.kind === 'json') {
      clock.close(true);
      return reply;
    }
    const rest = guarded(reply.events[Symbol.asyncIterator](), signal);
    const opening = await untilContent(rest);
    clock.begun();
    return { kind: 'stream', opening, rest, close: (complete) => clock.close(complete) };
  } catch (failure) {
    clock.close(false);
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
