/** The bytes of one response: back-pressure, hang-ups, and the faults that concern bytes alone. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import type { Fault } from '../control/fault.ts';
import type { RequestOutcome } from '../control/request-log.ts';

/** Ends the work on a response at once, wherever it stands. */
export class ExchangeEnd extends Error {
  readonly outcome: RequestOutcome;

  constructor(outcome: RequestOutcome) {
    super(`exchange ended: ${outcome}`);
    this.name = 'ExchangeEnded';
    this.outcome = outcome;
  }
}

/** The interval of the checks whether the kernel has accepted all written bytes, before the socket is destroyed. */
const FLUSH_POLL_MS = 1;

export class Link {
  readonly #response: ServerResponse;
  readonly #fault: Fault;
  readonly #closed = new AbortController();
  #bodyBytes = 0;

  constructor(response: ServerResponse, fault: Fault) {
    this.#response = response;
    this.#fault = fault;
    if (response.destroyed) this.#closed.abort();
    else response.once('close', () => this.#closed.abort());
  }

  start(status: number, headers: Readonly<Record<string, string>>): void {
    this.#response.writeHead(status, headers);
    this.#response.flushHeaders();
  }

  /** Writes `bytes`, and resolves when there is room for more. Throws `ExchangeEnd` when the client has disconnected. */
  async write(bytes: Buffer): Promise<void> {
    const { cut_after_bytes: cutAfter = Number.POSITIVE_INFINITY } = this.#fault;
    const sentBytes = bytes.subarray(0, cutAfter - this.#bodyBytes);
    this.#bodyBytes += sentBytes.length;
    this.#checkOpen();
    if (sentBytes.length > 0 && !this.#response.write(sentBytes))
      await this.#unlessClosed((signal) => once(this.#response, 'drain', { signal }));
    if (this.#bodyBytes >= cutAfter) await this.cut();
  }

  /** Ends the response properly and waits until it has been handed over. */
  async end(): Promise<void> {
    await this.#unlessClosed((signal) => {
      const finished = once(this.#response, 'finish', { signal });
      this.#response.end();
      return finished;
    });
  }

  async pause(durationMs: number): Promise<void> {
    await this.#unlessClosed(
      async (signal) => durationMs > 0 && setTimeout(durationMs, undefined, { signal }),
    );
  }

  async until(signal: AbortSignal): Promise<void> {
    await this.#unlessClosed(async (closed) => signal.aborted || once(signal, 'abort', { signal: closed }));
  }

  /** Sends nothing more and waits for the client to disconnect. */
  async hang(): Promise<never> {
    if (!this.#closed.signal.aborted) await once(this.#closed.signal, 'abort');
    throw new ExchangeEnd('aborted');
  }

  /** Destroys the socket once everything written so far is on its way. */
  async cut(): Promise<never> {
    while ((this.#response.socket?.writableLength ?? 0) > 0) await this.pause(FLUSH_POLL_MS);
    this.#response.destroy();
    throw new ExchangeEnd('fault');
  }

  reset(): never {
    this.#response.socket?.resetAndDestroy();
    throw new ExchangeEnd('fault');
  }

  #checkOpen(): void {
    if (this.#closed.signal.aborted) throw new ExchangeEnd('aborted');
  }

  async #unlessClosed(wait: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
    this.#checkOpen();
    try {
      await wait(this.#closed.signal);
    } catch (error) {
      this.#checkOpen();
      throw error;
    }
  }
}
