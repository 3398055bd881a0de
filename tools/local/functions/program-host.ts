/** A program that listens by itself, run as the deployed one: the upload ingress, or the shared host. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import { createInterface } from 'node:readline';
import { formatLogLine } from './log-lines.ts';

export interface ProgramHostOptions {
  /** The bundled program (absolute). */
  readonly program: string;
  /** The name of the program for people. */
  readonly label: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly log: (line: string) => void;
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
    const onward = send({
      host: '127.0.0.1',
      port,
      method: request.method,
      path: request.url,
      headers: request.headers,
    });
    request.pipe(onward);
    // A caller who leaves is noticed there.
    response.once('close', () => onward.destroy());
    // A host that has refused an upload may close before all of it is sent; what matters is its answer.
    onward.on('error', () => {});
    const [httpResponse] = (await Promise.race([
      once(onward, 'response'),
      once(onward, 'close').then(() => Promise.reject(new Error('the host closed the connection'))),
    ])) as [IncomingMessage];
    response.writeHead(httpResponse.statusCode ?? 502, httpResponse.headers);
    httpResponse.on('error', () => response.socket?.destroySoon());
    httpResponse.pipe(response);
    await once(response, 'close');
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
    const child = fork(program, {
      env: { ...environment, PORT: '0', HOST: '127.0.0.1', HOST_GRACE_SECONDS: GRACE_SECONDS },
      execArgv: [],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      detached: true,
    });
    for (const output of [child.stdout, child.stderr]) {
      if (output === null) continue;
      createInterface({ input: output, crlfDelay: Number.POSITIVE_INFINITY }).on('line', (line) => {
        const formatted = formatLogLine(label, line);
        if (formatted !== undefined) log(formatted);
      });
    }
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
