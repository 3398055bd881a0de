/** A streamed response: one write per chunk, with back-pressure, and a heartbeat while nothing is sent. */
import type { After, Clock, StreamedResponse, StreamOutcome } from '../core/ports.ts';

/** Proxies and clients commonly give up on a connection idle for 30 to 60 s. */
export const HEARTBEAT_MS = 15_000;

export interface StreamedResponseOptions {
  readonly clock: Clock;
  readonly after: After;
  /** The error envelope of a failure, which ends a stream of events. */
  readonly envelopeOf: (failure: unknown) => Readonly<Record<string, unknown>>;
  /** Called once, with the first chunk of the response. */
  readonly onFirstChunk: () => void;
  /** Called once, before the reader is notified of the end of the response. */
  readonly onEnd: (outcome: StreamOutcome) => void;
}

const EVENT_STREAM = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' };

/**
 * Requests chunks one at a time as the reader takes them. A failure becomes the last event of a stream of events
 * (WHATWG HTML, section 9.2.6), and breaks off any other body: by then the status has been sent.
 */
export function streamedResponse(response: StreamedResponse, options: StreamedResponseOptions): Response {
  const { headers, events } = response;
  const body = new ReadableStream<Uint8Array>(new Delivery(response, options), { highWaterMark: 1 });
  return new Response(body, { headers: events === undefined ? headers : { ...EVENT_STREAM, ...headers } });
}

type Controller = ReadableStreamDefaultController<Uint8Array>;

const encoder = new TextEncoder();

/** The source of a response's body. */
class Delivery {
  readonly #response: StreamedResponse;
  readonly #options: StreamedResponseOptions;
  #stopHeartbeat = () => {};
  #writtenMs = 0;
  #hasStarted = false;
  #cancelled = false;
  #hasEnded = false;

  constructor(response: StreamedResponse, options: StreamedResponseOptions) {
    this.#response = response;
    this.#options = options;
  }

  start(controller: Controller): void {
    const { events, opening } = this.#response;
    this.#writtenMs = this.#options.clock();
    if (opening !== undefined) this.#write(controller, opening);
    if (events !== undefined) this.#beatIn(HEARTBEAT_MS, controller, events.heartbeat);
  }

  async pull(controller: Controller): Promise<void> {
    const { body, events } = this.#response;
    try {
      const next = await body.next();
      if (this.#cancelled) return;
      if (next.done) {
        this.#end({ status: 'completed' });
        return controller.close();
      }
      if (!this.#hasStarted) this.#options.onFirstChunk();
      this.#hasStarted = true;
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
    const { body, leave } = this.#response;
    this.#cancelled = true;
    try {
      leave?.();
      for (let next = await body.next(); !next.done; next = await body.next());
      this.#end({ status: 'cancelled' });
    } catch (failure) {
      this.#end({ status: 'failed', failure });
    }
  }

  #write(controller: Controller, data: string | Uint8Array): void {
    controller.enqueue(typeof data === 'string' ? encoder.encode(data) : data);
    this.#writtenMs = this.#options.clock();
  }

  /**
   * Schedules the next heartbeat. Writes come by the thousand, so they do not reset the timer; it checks the time of
   * the last write instead.
   */
  #beatIn(ms: number, controller: Controller, heartbeat: string): void {
    const { clock, after } = this.#options;
    this.#stopHeartbeat = after(ms, () => {
      const idleMs = clock() - this.#writtenMs;
      const due = idleMs >= HEARTBEAT_MS;
      // Unread bytes keep the connection alive as well.
      if (due && (controller.desiredSize ?? 0) > 0) this.#write(controller, heartbeat);
      this.#beatIn(due ? HEARTBEAT_MS : HEARTBEAT_MS - idleMs, controller, heartbeat);
    });
  }

  #end(outcome: StreamOutcome): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#stopHeartbeat();
    this.#options.onEnd(outcome);
  }
}
