/** The bytes of one response: back-pressure, hang-ups, and the faults that concern bytes alone. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate, setTimeout } from 'node:timers/promises';
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

/** Resolves after a time; rejects when the signal aborts. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<void>;

export const wait: Wait = (ms, signal) => setTimeout(ms, undefined, { signal });

/** The interval of the checks whether the kernel has accepted all written bytes, before the socket is destroyed. */
const FLUSH_POLL_MS = 1;

export class Link {
  readonly #response: ServerResponse;
  readonly #fault: Fault;
  readonly #wait: Wait;
  readonly #closed = new AbortController();
  #bodyBytes = 0;

  constructor(response: ServerResponse, fault: Fault, wait: Wait) {
    this.#response = response;
    this.#fault = fault;
    this.#wait = wait;
    if (response.destroyed) this.#closed.abort();
    else response.once('close', () => this.#closed.abort());
  }

  /** Sends the status and headers at once, without waiting for the body. */
  start(status: number, headers: Readonly<Record<string, string>>): void {
    this.#response.writeHead(status, headers);
    this.#response.flushHeaders();
  }

  /** Writes `bytes`, and resolves when there is room for more. Throws `ExchangeEnd` when the client has disconnected. */
  async write(bytes: Buffer): Promise<void> {
    const { cut_after_bytes: cutAfter, split_bytes: splitBytes } = this.#fault;
    const cut = cutAfter !== undefined && this.#bodyBytes + bytes.length >= cutAfter;
    const sentBytes = cut ? bytes.subarray(0, cutAfter - this.#bodyBytes) : bytes;
    this.#bodyBytes += sentBytes.length;
    if (splitBytes === undefined) await this.#send(sentBytes);
    else await this.#sendInFragments(sentBytes, splitBytes);
    if (cut) await this.cut();
  }

  /** Ends the response properly and waits until it has been handed over. */
  async end(): Promise<void> {
    this.#checkOpen();
    await this.#unlessClosed((signal) => {
      const finished = once(this.#response, 'finish', { signal });
      this.#response.end();
      return finished;
    });
  }

  async pause(durationMs: number): Promise<void> {
    this.#checkOpen();
    if (durationMs > 0) await this.#unlessClosed((signal) => this.#wait(durationMs, signal));
  }

  /** Waits for the signal. */
  async until(signal: AbortSignal): Promise<void> {
    this.#checkOpen();
    if (!signal.aborted) await this.#unlessClosed((closed) => once(signal, 'abort', { signal: closed }));
  }

  /** Sends nothing more and waits for the client to disconnect. */
  async hang(): Promise<never> {
    if (!this.#closed.signal.aborted) await once(this.#closed.signal, 'abort');
    throw new ExchangeEnd('aborted');
  }

  /** Destroys the socket once everything written so far is on its way. */
  async cut(): Promise<never> {
    while ((this.#response.socket?.writableLength ?? 0) > 0)
      await this.#unlessClosed((signal) => wait(FLUSH_POLL_MS, signal));
    this.#response.destroy();
    throw new ExchangeEnd('fault');
  }

  /** Resets the connection (TCP RST). */
  reset(): never {
    this.#response.socket?.resetAndDestroy();
    throw new ExchangeEnd('fault');
  }

  async #send(bytes: Buffer): Promise<void> {
    this.#checkOpen();
    if (bytes.length === 0 || this.#response.write(bytes)) return;
    await this.#unlessClosed((signal) => once(this.#response, 'drain', { signal }));
  }

  /** Lets the event loop turn between pieces, so that they are sent in segments of their own. */
  async #sendInFragments(bytes: Buffer, fragmentBytes: number): Promise<void> {
    for (let start = 0; start < bytes.length; start += fragmentBytes) {
      await this.#send(bytes.subarray(start, start + fragmentBytes));
      await setImmediate();
    }
  }

  #checkOpen(): void {
    if (this.#closed.signal.aborted) throw new ExchangeEnd('aborted');
  }

  async #unlessClosed(wait: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
    try {
      await wait(this.#closed.signal);
    } catch (error) {
      this.#checkOpen();
      throw error;
    }
  }
}
