/** A streamed answer as a response: one write a chunk, back-pressure honoured, a heartbeat while nothing happens. */
import type { After, Clock, StreamedAnswer, StreamOutcome } from '../core/ports.ts';

/** Proxies and clients commonly give up on a connection idle for 30 to 60 s. */
export const HEARTBEAT_MS = 15_000;

export interface StreamedResponseOptions {
  readonly clock: Clock;
  readonly after: After;
  /** The error envelope of a failure, which ends a stream of events. */
  readonly envelopeOf: (failure: unknown) => Readonly<Record<string, unknown>>;
  /** Called once, with the answer's first chunk. */
  readonly onFirstChunk: () => void;
  /** Called once, before the reader learns that the answer has ended. */
  readonly onEnd: (outcome: StreamOutcome) => void;
}

const EVENT_STREAM = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' };

/**
 * Chunks are asked for one at a time as the reader takes them. A failure becomes the last event of a stream of events
 * (WHATWG HTML, section 9.2.6), and breaks off any other body: by then there is no status left to say so.
 */
export function streamedResponse(answer: StreamedAnswer, options: StreamedResponseOptions): Response {
  const { headers, events } = answer;
  const body = new ReadableStream<Uint8Array>(new Delivery(answer, options), { highWaterMark: 1 });
  return new Response(body, { headers: events === undefined ? headers : { ...EVENT_STREAM, ...headers } });
}

type Controller = ReadableStreamDefaultController<Uint8Array>;

const encoder = new TextEncoder();

/** The source of a response's body. */
class Delivery {
  readonly #answer: StreamedAnswer;
  readonly #options: StreamedResponseOptions;
  #stopHeartbeat = () => {};
  #writtenMs = 0;
  #begun = false;
  #cancelled = false;
  #ended = false;

  constructor(answer: StreamedAnswer, options: StreamedResponseOptions) {
    this.#answer = answer;
    this.#options = options;
  }

  start(controller: Controller): void {
    const { events, opening } = this.#answer;
    this.#writtenMs = this.#options.clock();
    if (opening !== undefined) this.#write(controller, opening);
    if (events !== undefined) this.#beatIn(HEARTBEAT_MS, controller, events.heartbeat);
  }

  async pull(controller: Controller): Promise<void> {
    const { chunks, events } = this.#answer;
    try {
      const next = await chunks.next();
      if (this.#cancelled) return;
      if (next.done) {
        this.#end({ status: 'completed' });
        return controller.close();
      }
      if (!this.#begun) this.#options.onFirstChunk();
      this.#begun = true;
      this.#write(controller, next.value);
    } catch (failure) {
      this.#end({ status: 'failed', failure });
      if (this.#cancelled) return;
      if (events === undefined) throw failure;
      this.#write(controller, events.errorEvent(this.#options.envelopeOf(failure)));
      controller.close();
    }
  }

  async cancel(): Promise<void> {
    const { chunks, leave } = this.#answer;
    this.#cancelled = true;
    try {
      leave?.();
      for (let next = await chunks.next(); !next.done; next = await chunks.next());
      this.#end({ status: 'cancelled' });
    } catch (failure) {
      this.#end({ status: 'failed', failure });
    }
  }

  #write(controller: Controller, chunk: string | Uint8Array): void {
    controller.enqueue(typeof chunk === 'string' ? encoder.encode(chunk) : chunk);
    this.#writtenMs = this.#options.clock();
  }

  /** The timer is not set anew with every write, which come by the thousand, but looks when the last one was. */
  #beatIn(ms: number, controller: Controller, heartbeat: string): void {
    const { clock, after } = this.#options;
    this.#stopHeartbeat = after(ms, () => {
      const idleMs = clock() - this.#writtenMs;
      const due = idleMs >= HEARTBEAT_MS;
      // What the reader has not taken yet keeps the connection alive as well.
      if (due && (controller.desiredSize ?? 0) > 0) this.#write(controller, heartbeat);
      this.#beatIn(due ? HEARTBEAT_MS : HEARTBEAT_MS - idleMs, controller, heartbeat);
    });
  }

  #end(outcome: StreamOutcome): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#stopHeartbeat();
    this.#options.onEnd(outcome);
  }
}
