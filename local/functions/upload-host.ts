/** The upload ingress, run as the deployed one: a `node:http` program beside the function whose endpoint it serves. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { FunctionDescription } from '../assembly/functions.ts';
import { formatLogLine } from './log-lines.ts';

/** The program in a function's bundle. */
const PROGRAM = 'host.mjs';

export const hasUploadHost = ({ assetDir }: FunctionDescription): boolean =>
  existsSync(join(assetDir, PROGRAM));

export interface UploadHostOptions {
  readonly description: FunctionDescription;
  /** The function's own, so that both act in one role. */
  readonly environment: Record<string, string>;
  readonly log: (line: string) => void;
}

export class UploadHost {
  readonly #options: UploadHostOptions;
  #running: Promise<{ readonly child: ChildProcess; readonly port: number }> | undefined;

  constructor(options: UploadHostOptions) {
    this.#options = options;
  }

  /** Sends a request on as it comes, and its answer back. Rejects before anything was answered. */
  async relay(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#running ??= this.#start();
    const { port } = await this.#running;
    const onward = send({
      host: '127.0.0.1',
      port,
      method: request.method,
      path: request.url,
      headers: request.headers,
    });
    request.pipe(onward);
    // A host that has refused an upload may close before all of it is sent; what matters is its answer.
    onward.on('error', () => {});
    const [answer] = (await Promise.race([
      once(onward, 'response'),
      once(onward, 'close').then(() => Promise.reject(new Error('the upload host closed the connection'))),
    ])) as [IncomingMessage];
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.on('error', () => response.socket?.destroySoon());
    answer.pipe(response);
    await once(response, 'close');
  }

  async close(): Promise<void> {
    const running = await this.#running?.catch(() => undefined);
    if (running === undefined || running.child.exitCode !== null || running.child.signalCode !== null) return;
    running.child.kill('SIGKILL');
    await once(running.child, 'exit');
  }

  async #start(): Promise<{ readonly child: ChildProcess; readonly port: number }> {
    const { description, environment, log } = this.#options;
    const child = fork(join(description.assetDir, PROGRAM), {
      env: { ...environment, PORT: '0', HOST: '127.0.0.1' },
      execArgv: [],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      detached: true,
    });
    for (const output of [child.stdout, child.stderr]) {
      if (output === null) continue;
      createInterface({ input: output, crlfDelay: Number.POSITIVE_INFINITY }).on('line', (line) => {
        const formatted = formatLogLine(description.label, line);
        if (formatted !== undefined) log(formatted);
      });
    }
    // The next request starts another.
    child.once('exit', () => {
      this.#running = undefined;
    });
    const [message] = await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(() => Promise.reject(new Error('the upload host ended before it was ready'))),
    ]);
    return { child, port: (message as { port: number }).port };
  }
}
