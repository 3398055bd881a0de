/** The body of a `node:http` request as a stream that cannot grow, stall, drip or last beyond its bounds. */
import type { IncomingMessage } from 'node:http';
import { CallerLeft, ServiceError } from '../core/errors.ts';
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

/** The time within which a slow body is detected. */
const RATE_CHECK_MS = 1_000;

const tooLarge = (maxBytes: number) =>
  new ServiceError('request_too_large', `The request body exceeds ${maxBytes} bytes.`);

const tooSlow = (message: string) => new ServiceError('invalid_json', message);

/**
 * Gives the body's bytes without buffering. Fails with a `ServiceError` if the body
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
export class BoundedBody implements AsyncIterableIterator<Uint8Array> {
  /** The bytes that it takes of the budget. */
  readonly taken: BodyBytes;
  readonly #incoming: IncomingMessage;
  readonly #maxBytes: number;
  #bytes = 0;
  #isOver = false;
  #failure: Error | undefined;
  #timers: readonly NodeJS.Timeout[] = [];
  #onProgress = () => {};

  constructor(incoming: IncomingMessage, bounds: BodyBounds, call: OpenCall) {
    const { 'content-length': length } = incoming.headers;
    const declaredBytes = Number(length ?? bounds.maxBytes);
    this.#incoming = incoming;
    this.#maxBytes = bounds.maxBytes;
    this.taken = new BodyBytes(bounds.budget, call, incoming.socket.remoteAddress ?? '', declaredBytes);
    incoming.once('end', () => {
      if (!this.#isOver) this.#attempt(() => this.taken.complete());
      this.#finish();
    });
    // A connection that is reset or closed.
    for (const event of ['error', 'close'])
      incoming.once(event, () => this.#isOver || this.#fail(new CallerLeft()));
    if (declaredBytes > bounds.maxBytes) this.#fail(tooLarge(bounds.maxBytes));
    // Most bodies have arrived by then, and need no watch.
    else setImmediate(() => incoming.complete || this.#isOver || this.#watch(bounds));
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    for (;;) {
      const buffer: Buffer | null = this.#isOver ? null : this.#incoming.read();
      if (buffer !== null) this.#arrive(buffer.length);
      if (this.#failure !== undefined) throw this.#failure;
      if (buffer !== null) return { done: false, value: buffer };
      if (this.#isOver) return { done: true, value: undefined };
      await new Promise<void>((resolve) => {
        this.#onProgress = resolve;
        // Runs after all bytes from the socket are parsed: each of its reads is a separate event.
        this.#incoming.once('readable', () => setImmediate(resolve));
      });
    }
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#finish();
    return { done: true, value: undefined };
  }

  async text(): Promise<string> {
    const chunks: Uint8Array[] = [];
    for await (const bytes of this) chunks.push(bytes);
    return new TextDecoder().decode(Buffer.concat(chunks));
  }

  /** Lets go of the request, so that the rest of it can be drained, and of what its bytes take of the budget. */
  release(): void {
    this.#finish();
    this.taken.release();
  }

  #arrive(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#maxBytes) this.#fail(tooLarge(this.#maxBytes));
    else this.#attempt(() => this.taken.arrive(bytes));
  }

  #watch(bounds: BodyBounds): void {
    const { idleMs } = bounds;
    const onSlow = () => this.#attempt(() => this.taken.slow());
    const fail = (failure: Error) => this.#fail(failure);
    this.#timers = [...startTimers(bounds, () => this.#bytes, fail), setTimeout(onSlow, SLOW_AFTER_MS)];
    this.#incoming.setTimeout(idleMs, () => fail(tooSlow(`The request body stalled for ${idleMs} ms.`)));
  }

  /** Fails if `take` does. */
  #attempt(take: () => void): void {
    try {
      take();
    } catch (shortage) {
      this.#fail(shortage as Error);
    }
  }

  #fail(failure: Error): void {
    if (!this.#isOver) this.#failure = failure;
    this.#finish();
  }

  /** The end of the request may come after its response, when the connection has a timeout of its own again. */
  #finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#incoming.removeAllListeners('readable');
    this.#incoming.setTimeout(0);
    for (const timer of this.#timers) clearTimeout(timer);
    this.#onProgress();
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
