/** What is left of a call's time: its host's, and that of its caller, to whom nothing may be sent before its route answers. */
import type { CallContext, Clock, EventFormat } from '../../ports.ts';

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
