/** The body of a streamed response: one write per chunk, with back-pressure, and a heartbeat while nothing is sent. */
import type { Writable } from 'node:stream';
import type { After, Clock, StreamedResponse, StreamOutcome } from '../core/ports.ts';

/** Proxies and clients commonly give up on a connection idle for 30 to 60 s. */
export const HEARTBEAT_MS = 15_000;

/** Takes the chunks of a response for its reader. */
export interface Sink {
  /** Returns a promise if it is full. It resolves once it takes the next chunk, or the reader has left. */
  write(chunk: string | Uint8Array): Promise<void> | undefined;
}

/** Waits until a stream has passed on what was written to it, or has closed. */
export const drained = (stream: Writable): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      stream.off('drain', done).off('close', done);
      resolve();
    };
    stream.on('drain', done).on('close', done);
    if (stream.destroyed) done();
  });

/** A body that is written as its reader takes it. */
export interface StreamedBody {
  /** Writes the body. Called once. Resolves at its end or if it is cancelled, and rejects if it breaks off. */
  run(sink: Sink): Promise<void>;
  /** The reader has left. Resolves once the call has ended. Has no effect after the end of the body. */
  cancel(): Promise<void>;
}

export interface DeliveredBodyOptions {
  readonly clock: Clock;
  readonly after: After;
  /** The error envelope of a failure, which ends a stream of events. */
  readonly envelopeOf: (failure: unknown) => Readonly<Record<string, unknown>>;
  /** Called once, with the first chunk of the response. */
  readonly onFirstChunk: () => void;
  /** Called once, before the reader is notified of the end of the response. */
  readonly onEnd: (outcome: StreamOutcome) => void;
}

/**
 * Requests chunks one at a time as the sink takes them. A failure becomes the last event of a stream of events (WHATWG
 * HTML, section 9.2.6), and breaks off any other body: by then the status has been sent.
 */
export class DeliveredBody implements StreamedBody {
  readonly #response: Omit<StreamedResponse, 'headers'>;
  readonly #options: DeliveredBodyOptions;
  #stopHeartbeat = () => {};
  #writtenMs = 0;
  /** Pending while the sink is full. */
  #full: Promise<void> | undefined;
  #hasStarted = false;
  #isCancelled = false;
  #hasEnded = false;

  constructor(response: Omit<StreamedResponse, 'headers'>, options: DeliveredBodyOptions) {
    this.#response = response;
    this.#options = options;
  }

  async run(sink: Sink): Promise<void> {
    const { body, events, opening } = this.#response;
    if (this.#isCancelled) return;
    this.#writtenMs = this.#options.clock();
    if (events !== undefined) this.#beatIn(HEARTBEAT_MS, sink, events.heartbeat);
    try {
      if (opening !== undefined) await this.#write(sink, opening);
      while (!this.#isCancelled) {
        const next = await body.next();
        if (this.#isCancelled) return;
        if (next.done) return this.#end({ status: 'completed' });
        if (!this.#hasStarted) this.#options.onFirstChunk();
        this.#hasStarted = true;
        const full = this.#write(sink, next.value);
        if (full !== undefined) await full;
      }
    } catch (failure) {
      this.#end({ status: 'failed', failure });
      if (this.#isCancelled) return;
      if (events === undefined) throw failure;
      await this.#write(sink, events.errorEvent(this.#options.envelopeOf(failure)));
    }
  }

  async cancel(): Promise<void> {
    if (this.#hasEnded) return;
    const { body, leave } = this.#response;
    this.#isCancelled = true;
    this.#stopHeartbeat();
    try {
      leave?.();
      // A request of `run` that is still open comes before these, and so does its failure.
      for (let next = await body.next(); !next.done; next = await body.next());
      this.#end({ status: 'cancelled' });
    } catch (failure) {
      this.#end({ status: 'failed', failure });
    }
  }

  #write(sink: Sink, chunk: string | Uint8Array): Promise<void> | undefined {
    this.#writtenMs = this.#options.clock();
    const full = sink.write(chunk);
    this.#full = full;
    return full?.then(() => {
      if (this.#full === full) this.#full = undefined;
    });
  }

  /**
   * Schedules the next heartbeat. Writes come by the thousand, so they do not reset the timer; it checks the time of
   * the last write instead.
   */
  #beatIn(ms: number, sink: Sink, heartbeat: string): void {
    const { clock, after } = this.#options;
    this.#stopHeartbeat = after(ms, () => {
      const idleMs = clock() - this.#writtenMs;
      const due = idleMs >= HEARTBEAT_MS;
      // Unread bytes keep the connection alive as well.
      if (due && this.#full === undefined) this.#write(sink, heartbeat);
      this.#beatIn(due ? HEARTBEAT_MS : HEARTBEAT_MS - idleMs, sink, heartbeat);
    });
  }

  #end(outcome: StreamOutcome): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#stopHeartbeat();
    this.#options.onEnd(outcome);
  }
}
