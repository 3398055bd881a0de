/** The `node:http` host: the same endpoints on any compute that can listen, with the same limits and envelopes. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Clock, HttpRequest } from '../core/ports.ts';
import { type BodyBounds, BoundedBody } from './bounded-body.ts';
import { OpenCalls } from './open-calls.ts';
import { type Handler, type HostResponse, silenceOf } from './request-handler.ts';
import { drained } from './streamed-response.ts';

/** The handler of a method and path. */
export interface RouteTarget {
  readonly handler: Handler;
  readonly pathParameters: Readonly<Record<string, string>>;
  readonly body: BodyBounds;
  /** Responds instead while the host has its maximum of calls. If absent, the call is served nevertheless. */
  readonly rejectHandler?: Handler;
}

export interface NodeHostOptions {
  readonly resolve: (method: string, path: string) => RouteTarget;
  readonly clock: Clock;
  /** The longest a call may take; its endpoint ends it in time. */
  readonly callMs: number;
  /** The most calls that are served at once, after their bodies have arrived. */
  readonly maxCalls: number;
}

/** A call that is ended has so long to send its error, and to settle in two rounds of database calls with retries. */
const SETTLE_MS = 15_000;

/** A reader that takes nothing for so long has left. */
const UNREAD_MS = 60_000;

export class NodeHost {
  /** Not listening yet. */
  readonly server: Server;
  /** The program sets it once it can serve calls. */
  isReady = false;
  readonly #options: NodeHostOptions;
  readonly #calls: OpenCalls;
  /** The time by which every call ends, once the host drains. */
  #endsMs = Number.POSITIVE_INFINITY;

  constructor(options: NodeHostOptions) {
    this.#options = options;
    this.#calls = new OpenCalls(options.maxCalls);
    this.server = createServer({ joinDuplicateHeaders: true }, (request, response) => {
      this.#serve(request, response).catch(() => response.destroy());
    });
    // The body's bounds return our envelope; Node's would not.
    this.server.requestTimeout = 0;
    this.server.keepAliveTimeout = KEEP_ALIVE_MS;
  }

  get #isDraining(): boolean {
    return this.#endsMs !== Number.POSITIVE_INFINITY;
  }

  /** True if a balancer may send calls. */
  get isHealthy(): boolean {
    return this.isReady && !this.#isDraining;
  }

  /** True if the time of all calls is over. */
  get hasEnded(): boolean {
    return this.#options.clock() > this.#endsMs;
  }

  /** Returns the maximum number of calls that were served at once since the last call of this method. */
  takePeak(): number {
    return this.#calls.takePeak();
  }

  /**
   * Makes the host unhealthy. It still serves every call, which has `graceMs` to end: a balancer sends calls until several
   * health checks have failed, and to unhealthy hosts if there is no other.
   */
  drain(graceMs: number): void {
    this.#endsMs = Math.min(this.#endsMs, this.#options.clock() + graceMs + SETTLE_MS);
  }

  /**
   * Drains, and closes once no call is open. After `graceMs` from the start of draining it closes nevertheless:
   * `endCalls` ends the remaining calls with an error, and they settle. Resolves when all have, or their time is over.
   */
  async stop(graceMs: number, endCalls: () => void): Promise<void> {
    this.drain(graceMs);
    const isEmpty = await this.#calls.emptyWithin(this.#endsMs - SETTLE_MS - this.#options.clock());
    this.server.close();
    if (!isEmpty) {
      endCalls();
      await this.#calls.emptyWithin(SETTLE_MS);
    }
    this.server.closeAllConnections();
  }

  async #serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { clock, callMs, resolve } = this.#options;
    const deadlineMs = clock() + callMs;
    const url = new URL(targetOf(incoming));
    const { method = '' } = incoming;
    const { handler, rejectHandler, pathParameters, body: bounds } = resolve(method, url.pathname);
    const hasBody = method !== 'GET' && method !== 'HEAD';
    const isRejected = rejectHandler !== undefined && this.#calls.isFull;
    const call = this.#calls.open({ isLimited: rejectHandler !== undefined });
    const body = hasBody ? new BoundedBody(incoming, bounds, call) : undefined;
    if (!hasBody && !isRejected) call.serve();
    try {
      const request: HttpRequest = {
        method,
        url: url.href,
        headers: headersOf(incoming),
        body: body ?? null,
        text: async () => body?.text() ?? '',
      };
      const remainingTimeMs = () => Math.min(deadlineMs, this.#endsMs) - clock();
      const silenceMs = silenceOf(request.headers);
      const respond = isRejected ? rejectHandler : handler;
      const response = await respond(request, {
        pathParameters,
        remainingTimeMs,
        silenceMs,
        body: body?.taken,
      });
      if (!incoming.complete || this.#isDraining) outgoing.setHeader('connection', 'close');
      // They leave with the first bytes of the body.
      outgoing.writeHead(response.status, response.headers);
      await deliver(response.body, outgoing);
    } finally {
      body?.release();
      call.close();
    }
    await drain(incoming);
    outgoing.end();
  }
}

/** Longer than balancers and CloudFront retain an idle connection, so that they close it, not this server. */
const KEEP_ALIVE_MS = 130_000;

/** The maximum bytes and time for reading what a rejected client still sends. */
const DRAIN_BYTES = 64 * 1024 * 1024;
const DRAIN_MS = 10_000;

/** A client that is still sending does not pause for this long; one that waits for its response does. */
const DRAIN_IDLE_MS = 1_000;

/**
 * Waits, within bounds, for the rest of a request after its response. Closing a connection on which data still arrives
 * would reset it, and the client might lose the response.
 */
async function drain(incoming: IncomingMessage): Promise<void> {
  if (incoming.complete || incoming.destroyed) return;
  let bytes = 0;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, DRAIN_MS);
    const done = () => {
      clearTimeout(timer);
      resolve();
    };
    incoming.on('data', (buffer: Buffer) => {
      bytes += buffer.length;
      if (bytes > DRAIN_BYTES) done();
    });
    incoming.on('error', () => {});
    incoming.setTimeout(DRAIN_IDLE_MS, done);
    incoming.once('end', done).once('close', done).resume();
  });
}

/** The request's target as a URL of this host, whatever its form (RFC 9112, section 3.2); `*` is a path of none. */
function targetOf({ url = '/' }: IncomingMessage): string {
  if (url.startsWith('/')) return `http://localhost${url}`;
  const absolute = URL.parse(url);
  return absolute === null ? 'http://localhost/*' : `http://localhost${absolute.pathname}${absolute.search}`;
}

function headersOf({ headers }: IncomingMessage): HttpRequest['headers'] {
  const get = (name: string) => headers[name.toLowerCase()]?.toString() ?? null;
  return { get, has: (name) => get(name) !== null };
}

/**
 * Writes the body as the client takes it. When the client leaves, the body is cancelled, which settles the call; resolves
 * when it has.
 */
async function deliver(body: HostResponse['body'], outgoing: ServerResponse): Promise<void> {
  const write = (chunk: string | Uint8Array) => (outgoing.write(chunk) ? undefined : taken(outgoing));
  outgoing.once('error', () => {});
  if (typeof body === 'string') return write(body);
  let cancellation: Promise<void> | undefined;
  const leave = () => {
    cancellation ??= body.cancel();
  };
  outgoing.once('close', leave);
  if (outgoing.destroyed) leave();
  await body.run({ write });
  outgoing.off('close', leave);
  await cancellation;
}

/** Waits until the client has taken what was written, or has left. */
async function taken(outgoing: ServerResponse): Promise<void> {
  const unread = setTimeout(() => outgoing.destroy(), UNREAD_MS);
  await drained(outgoing);
  clearTimeout(unread);
}
