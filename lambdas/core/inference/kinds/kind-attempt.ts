/** One try of one route for a call that is not a conversation, under its clocks. */

import {
  abortable,
  type RouteClock,
  type RouteClockOptions,
  startRouteClock,
} from '../upstream/route-clock.ts';
import type { ProviderAttempt, ProviderCalls } from './call-kind.ts';

export interface KindAnswer<Answer> {
  readonly answer: Answer;
  /** Closed already, unless the answer is streamed. */
  readonly clock: RouteClock;
}

/** Runs the attempt; throws `UpstreamFailure` when it ends without an answer, or before a stream's first bytes. */
export async function attemptKind<Payload, Answer>(
  servers: ProviderCalls<Payload, Answer>,
  { model, payload }: Pick<ProviderAttempt<Payload>, 'model' | 'payload'>,
  options: RouteClockOptions,
): Promise<KindAnswer<Answer>> {
  const { route, stream } = options;
  const serve = servers[route.protocol];
  if (serve === undefined) throw new Error(`protocol ${route.protocol} does not serve this kind of call`);
  const clock = startRouteClock(options);
  try {
    const answer = await abortable(serve({ model, route, payload, clock }), clock.signal);
    if (stream) clock.begun();
    else clock.close(true);
    return { answer, clock };
  } catch (failure) {
    clock.close(false);
    throw failure;
  }
}
