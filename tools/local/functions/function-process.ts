/** One forked process of a function, which runs `function-program.ts`: how it starts, gets calls and ends. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { HandlerFailure } from './function-errors.ts';
import { DEADLINE_HEADER, type ProcessReport, REQUEST_ID_HEADER } from './process-protocol.ts';
import { type ProgramOptions, startProgram } from './programs.ts';

/** Lambda allows 10 s; a machine on which everything starts at once may need more. */
const INIT_TIMEOUT_MS = 30_000;

export interface ProcessCall {
  readonly event: Buffer;
  readonly requestId: string;
  readonly deadlineMs: number;
  /** Ends the call. */
  readonly signal: AbortSignal;
}

export class FunctionProcess {
  /** Settles when the process serves calls; rejects with `HandlerFailure` when its handler cannot be loaded. */
  readonly ready: Promise<void>;
  /** Resolves when the process is gone. */
  readonly exited: Promise<void>;
  readonly #child: ChildProcess;
  /** A connection for each call at once; the process shares its CPU between them anyway. */
  readonly #agent = new Agent({ keepAlive: true, maxFreeSockets: 1024 });
  #port = 0;

  constructor(options: ProgramOptions) {
    this.#child = startProgram(join(import.meta.dirname, 'function-program.ts'), options);
    this.exited = once(this.#child, 'close').then(() => this.#agent.destroy());
    this.ready = this.#awaitReport();
    this.ready.catch(() => this.kill());
  }

  async #awaitReport(): Promise<void> {
    const reported = once(this.#child, 'message').then(([report]) => report as ProcessReport);
    const timer = setTimeout(() => this.kill(), INIT_TIMEOUT_MS);
    const report = await Promise.race([reported, this.exited]);
    clearTimeout(timer);
    if (report === undefined) throw new HandlerFailure('the process ended before it was ready');
    if ('failure' in report)
      throw new HandlerFailure(`${report.failure.errorType}: ${report.failure.errorMessage}`);
    this.#port = report.port;
  }

  /** Sends an event; resolves with the answer as soon as its head is there. */
  async send({ event, requestId, deadlineMs, signal }: ProcessCall): Promise<IncomingMessage> {
    const call = request({
      host: '127.0.0.1',
      port: this.#port,
      method: 'POST',
      agent: this.#agent,
      signal,
      headers: {
        'content-length': event.length,
        [REQUEST_ID_HEADER]: requestId,
        [DEADLINE_HEADER]: String(deadlineMs),
      },
    });
    call.end(event);
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    // An abort after the answer has begun is reported on both; the answer's reader handles it there.
    call.on('error', () => {});
    return response;
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }
}
