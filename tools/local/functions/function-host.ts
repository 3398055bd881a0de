/** Runs one function: forks its process at the first call, shares it between calls, replaces a broken one, ends an idle one. */
import type { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import type { After } from '../../../lambdas/platform/core/ports.ts';
import { systemAfter } from '../../../lambdas/platform/system/system.ts';
import { FunctionTimedOut, HandlerFailure } from './function-errors.ts';
import { FunctionProcess } from './function-process.ts';
import { FAILURE_HEADER, type FunctionFailure } from './process-protocol.ts';
import type { ProgramOptions } from './programs.ts';

export interface FunctionHostOptions extends ProgramOptions {
  readonly timeoutMs: number;
  /** Replaces how long an idle process is kept beyond the function's timeout. */
  readonly idleMs?: number | undefined;
  /** Replaces the passing of time in a call. */
  readonly after?: After;
}

/**
 * Lambda ends an idle environment after minutes that it does not name; longer than the shortest schedule, five minutes,
 * spares a start for each of its events.
 */
const IDLE_MS = 6 * 60_000;

export class FunctionHost {
  readonly #options: FunctionHostOptions;
  /** Calls in flight, by the process that runs them; a process that is not the current one gets no new calls. */
  readonly #calls = new Map<FunctionProcess, number>();
  #current: FunctionProcess | undefined;
  /** Ends the current process, which has no calls. */
  #idle: NodeJS.Timeout | undefined;

  constructor(options: FunctionHostOptions) {
    this.#options = options;
  }

  /**
   * Invokes the function with an event (JSON) and resolves with what it answers, byte by byte: a buffered handler's
   * result as JSON, a streaming handler's stream. The reader must read it to its end or destroy it.
   * Throws `HandlerFailure` or `FunctionTimedOut` before the first byte; after it the stream breaks.
   */
  async invoke(event: Buffer, requestId: string): Promise<Readable> {
    const running = this.#acquire();
    const abort = new AbortController();
    const { timeoutMs, after = systemAfter } = this.#options;
    let cancel = () => {};
    const finish = () => {
      cancel();
      this.#release(running);
    };
    try {
      await running.ready;
      cancel = after(timeoutMs, () => this.#expire(running, abort, requestId));
      const deadlineMs = Date.now() + timeoutMs;
      const response = await running.send({ event, requestId, deadlineMs, signal: abort.signal });
      if (response.headers[FAILURE_HEADER] !== undefined) throw await readFailure(response);
      response.once('close', finish);
      return response;
    } catch (cause) {
      finish();
      throw this.#explain(cause as Error, abort.signal);
    }
  }

  /** Ends every process of the function. */
  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const processes = [...this.#calls.keys()];
    for (const process of processes) process.kill();
    await Promise.all(processes.map(({ exited }) => exited));
  }

  #acquire(): FunctionProcess {
    clearTimeout(this.#idle);
    const process = this.#current ?? this.#fork();
    this.#calls.set(process, (this.#calls.get(process) ?? 0) + 1);
    return process;
  }

  #release(process: FunctionProcess): void {
    const calls = this.#calls.get(process);
    if (calls === undefined) return;
    this.#calls.set(process, calls - 1);
    if (calls > 1) return;
    if (process === this.#current) this.#endWhenIdle(process);
    else process.kill();
  }

  /** A call whose reader has gone may run on unseen until the function's timeout, as in Lambda: it is not cut short. */
  #endWhenIdle(process: FunctionProcess): void {
    const { timeoutMs, idleMs = IDLE_MS } = this.#options;
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => {
      this.#retire(process);
      process.kill();
    }, timeoutMs + idleMs).unref();
  }

  #fork(): FunctionProcess {
    const process = new FunctionProcess(this.#options);
    this.#current = process;
    process.exited.then(() => {
      this.#retire(process);
      this.#calls.delete(process);
    });
    process.ready.catch(() => this.#retire(process));
    return process;
  }

  #retire(process: FunctionProcess): void {
    if (this.#current === process) this.#current = undefined;
  }

  /** Lambda ends the process of a call that ran out of time; here others share it, so it goes when they have ended. */
  #expire(process: FunctionProcess, abort: AbortController, requestId: string): void {
    const { label, timeoutMs, log } = this.#options;
    log(`${label} timed out after ${timeoutMs / 1000} s (${requestId})`);
    this.#retire(process);
    abort.abort(new FunctionTimedOut(`${label} timed out after ${timeoutMs / 1000} s`));
  }

  #explain(cause: Error, signal: AbortSignal): Error {
    if (signal.aborted) return signal.reason as Error;
    if (cause instanceof HandlerFailure) return cause;
    return new HandlerFailure(`${this.#options.label}: its process ended`, { cause });
  }
}

async function readFailure(response: Readable): Promise<HandlerFailure> {
  const { errorType, errorMessage } = (await json(response)) as FunctionFailure;
  return new HandlerFailure(`${errorType}: ${errorMessage}`);
}
