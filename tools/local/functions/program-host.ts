/** A program that listens by itself, run as the deployed one: the upload ingress, or the shared host. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { relay } from '../relay.ts';
import { type ProgramOptions, startProgram } from './programs.ts';

export interface ProgramHostOptions extends ProgramOptions {
  /** The bundled program (absolute). */
  readonly program: string;
}

/** The gateway has given calls their time before it closes its hosts; what is open then ends with an error, and settles. */
const GRACE_SECONDS = '0';
const SETTLE_MS = 5_000;

export class ProgramHost {
  readonly #options: ProgramHostOptions;
  #running: Promise<{ readonly child: ChildProcess; readonly port: number }> | undefined;

  constructor(options: ProgramHostOptions) {
    this.#options = options;
  }

  /** Sends a request on as it comes, and its answer back. Rejects before anything was answered. */
  async relay(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#running ??= this.#start();
    const { port } = await this.#running;
    const url = new URL(`http://127.0.0.1:${port}`);
    const { method, headers, url: path } = request;
    await relay({ url, path, method, headers, body: request }, response);
  }

  async close(): Promise<void> {
    const running = await this.#running?.catch(() => undefined);
    if (running === undefined || running.child.exitCode !== null || running.child.signalCode !== null) return;
    const { child } = running;
    const closed = once(child, 'exit');
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), SETTLE_MS);
    await closed;
    clearTimeout(timer);
  }

  async #start(): Promise<{ readonly child: ChildProcess; readonly port: number }> {
    const { program, label, environment, log } = this.#options;
    const child = startProgram(program, {
      label,
      log,
      environment: { ...environment, PORT: '0', HOST: '127.0.0.1', HOST_GRACE_SECONDS: GRACE_SECONDS },
    });
    // The next request starts another.
    child.once('exit', () => {
      this.#running = undefined;
    });
    const [message] = await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(() => Promise.reject(new Error(`${label} ended before it was ready`))),
    ]);
    return { child, port: (message as { port: number }).port };
  }
}
