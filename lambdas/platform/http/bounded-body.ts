/** The body of a `node:http` request as a stream that cannot grow, stall, drip or last beyond its bounds. */
import type { IncomingMessage } from 'node:http';
import { LARGE_BODY_BYTES } from '../contract/limits.ts';
import { CallerLeft, ServiceError } from '../core/errors.ts';
import type { IncomingBody } from '../core/ports.ts';
import { type BodyBudget, BodyBytes, SLOW_AFTER_MS } from './body-budget.ts';
import type { OpenCall } from './open-calls.ts';

export interface BodyBounds {
  readonly maxBytes: number;
  /** A body that brings nothing for so long is given up. */
  readonly idleMs: number;
  /** The longest that a body may take as a whole. */
  readonly totalMs: number;
  /** The minimum average rate of a body in every period of that length. */
  readonly minRate: { readonly bytesPerSecond: number; readonly overMs: number };
  /** The bytes that the bodies of all open requests may use together. */
  readonly budget: BodyBudget;
}

export interface BoundedBody extends IncomingBody {
  readonly stream: ReadableStream<Uint8Array>;
  /** Lets go of the request, so that the rest of it can be drained, and of what its bytes take of the budget. */
  release(): void;
}

/** The time within which a slow body is detected. */
const RATE_CHECK_MS = 1_000;

const tooLarge = (maxBytes: number) =>
  new ServiceError('request_too_large', `The request body exceeds ${maxBytes} bytes.`);

const tooSlow = (message: string) => new ServiceError('invalid_json', message);

/**
 * Returns the body's bytes without buffering. Fails with a `ServiceError` if the body
 *
 * - declares or contains too many bytes;
 * - pauses for too long, or sends too few bytes per second;
 * - does not end in time.
 *
 * Fails with `CallerLeft` if the client leaves before its end. The call is served from its end on.
 *
 * The bytes that have arrived are one chunk, even if they were sent in many. It uses events, because a stream that was
 * once read by iteration could not be drained any more.
 */
export function boundedBody(incoming: IncomingMessage, bounds: BodyBounds, call: OpenCall): BoundedBody {
  const { maxBytes, idleMs, budget } = bounds;
  const { 'content-length': length } = incoming.headers;
  const taken = new BodyBytes(budget, call, incoming.socket.remoteAddress ?? '');
  let bytes = 0;
  let over = false;
  let isRequested = false;
  let timers: readonly NodeJS.Timeout[] = [];
  let readNext = () => {};
  // Runs after all bytes from the socket are parsed: each of its reads is a separate event.
  let coming = false;
  const soon = () => {
    if (!coming) setImmediate(readNext);
    coming = true;
  };
  const finish = () => {
    over = true;
    incoming.off('readable', soon);
    incoming.setTimeout(0);
    for (const timer of timers) clearTimeout(timer);
  };
  const release = () => {
    finish();
    taken.release();
  };
  const stream = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const end = (settle: () => void) => {
          if (over) return;
          finish();
          settle();
        };
        const fail = (cause: Error) => end(() => controller.error(cause));
        if (Number(length ?? 0) > maxBytes) return fail(tooLarge(maxBytes));
        const onSlow = () => attempt(() => taken.slow(), fail);
        timers = [...startTimers(bounds, () => bytes, fail), setTimeout(onSlow, SLOW_AFTER_MS)];
        incoming.setTimeout(idleMs, () => fail(tooSlow(`The request body stalled for ${idleMs} ms.`)));
        incoming.once('end', () => {
          if (over) return;
          attempt(() => taken.complete(), fail);
          end(() => controller.close());
        });
        // A connection that is reset or closed.
        const leave = () => end(() => controller.error(new CallerLeft()));
        for (const event of ['error', 'close']) incoming.once(event, leave);
        readNext = () => {
          coming = false;
          if (over || !isRequested) return;
          const buffer: Buffer | null = incoming.read();
          if (buffer === null) return;
          bytes += buffer.length;
          if (bytes > maxBytes) return fail(tooLarge(maxBytes));
          attempt(() => taken.arrive(buffer.length), fail);
          if (over) return;
          isRequested = false;
          controller.enqueue(buffer);
        };
        incoming.on('readable', soon);
      },
      pull() {
        isRequested = true;
        soon();
      },
      cancel: finish,
    },
    // A chunk is read on demand.
    { highWaterMark: 0 },
  );
  return {
    stream,
    release,
    isLarge: length === undefined || Number(length) > LARGE_BODY_BYTES,
    claim: (accountId) => taken.claim(accountId),
    sent: () => taken.sent(),
  };
}

/** Reports a failure of `take` to `fail`. */
function attempt(take: () => void, fail: (cause: Error) => void): void {
  try {
    take();
  } catch (shortage) {
    fail(shortage as Error);
  }
}

/** Watches the body's time as a whole and its rate, each period from the first check in it to the last. */
function startTimers(
  { totalMs, minRate }: BodyBounds,
  received: () => number,
  fail: (cause: Error) => void,
): readonly NodeJS.Timeout[] {
  const { bytesPerSecond, overMs } = minRate;
  const late = `The request body was not complete after ${totalMs} ms.`;
  const slow = `The request body brought less than ${bytesPerSecond} bytes a second.`;
  const checks = [{ atMs: performance.now(), bytes: 0 }];
  const checkRate = () => {
    const last = { atMs: performance.now(), bytes: received() };
    checks.push(last);
    // The first of the period: the others before it are of no use any more.
    while (last.atMs - (checks[1]?.atMs ?? last.atMs) >= overMs) checks.shift();
    const { atMs, bytes } = checks[0] ?? last;
    const periodMs = last.atMs - atMs;
    if (periodMs >= overMs && (last.bytes - bytes) * 1000 < bytesPerSecond * periodMs) fail(tooSlow(slow));
  };
  return [
    setTimeout(() => fail(tooSlow(late)), totalMs),
    setInterval(checkRate, Math.min(RATE_CHECK_MS, overMs)),
  ];
}
