/**
 * The local API Gateway: the routes of every REST API at one address, with the limits, timeouts and error answers
 * that the deployed ones have.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RestApi } from '../assembly/api/rest-apis.ts';
import { rejectMalformedRequests } from './client-errors.ts';
import { checkTemplates, type GatewayReplyBody, renderFault } from './gateway-answer.ts';
import { faults, GatewayFault } from './gateway-fault.ts';
import { createIntegration, type Integration, type InvokeFunction } from './integration.ts';
import { createRateLimiter, type RateLimiter } from './rate-limiter.ts';
import { ClientGone, drain, readBody } from './request-body.ts';
import { createRequestContext, type GatewayRequestContext, isWellEncoded } from './request-context.ts';
import { createRouter, type GatewayMatch } from './router.ts';

export interface GatewayOptions {
  readonly apis: readonly RestApi[];
  readonly port: number;
  readonly invoke: InvokeFunction;
  /** Replaces the limit of WAF's rate rules; 0 lifts them. */
  readonly ipRequestsPerMinute?: number | undefined;
  /** Replaces how long a streamed answer may be silent. */
  readonly silenceMs?: number | undefined;
  /** Takes the requests of some functions past API Gateway, as the upload ingress does. */
  readonly ingress?: ((functionArn: string) => Ingress | undefined) | undefined;
  readonly log: (line: string) => void;
}

/** Answers a request whose body it reads itself. */
type Ingress = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** The interface's clients upload without pauses; ten seconds of silence mean a broken one. */
const BODY_STALL_TIMEOUT_MS = 10_000;

/** API Gateway quotas: request line and headers together. */
const HEADER_BYTES_MAX = 10_240;

/** Longer than clients keep an idle connection, so that it is they who close it. */
const KEEP_ALIVE_TIMEOUT_MS = 75_000;

export class Gateway {
  readonly #options: GatewayOptions;
  readonly #server: Server;
  readonly #route: (method: string, path: string) => GatewayMatch | undefined;
  readonly #exceeds: RateLimiter;
  readonly #integrate: Integration;
  readonly #inFlight = new Set<Promise<void>>();
  /** Speaks for requests that reach no API's route. */
  readonly #defaultApi: RestApi;

  constructor(options: GatewayOptions) {
    const [api] = options.apis;
    if (api === undefined) throw new Error('the assembly has no REST API');
    options.apis.forEach(checkTemplates);
    this.#options = options;
    this.#defaultApi = api;
    this.#route = createRouter(options.apis);
    this.#exceeds = createRateLimiter(options.ipRequestsPerMinute);
    this.#integrate = createIntegration(options);
    this.#server = createServer({
      maxHeaderSize: HEADER_BYTES_MAX,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      headersTimeout: BODY_STALL_TIMEOUT_MS,
      requestTimeout: 0,
      connectionsCheckingInterval: 1000,
    });
    const serve = (request: IncomingMessage, response: ServerResponse) =>
      this.#track(this.#serve(request, response));
    // A request that asks before it sends (`Expect: 100-continue`) gets the `100 Continue` when its body is read.
    this.#server.on('request', serve).on('checkContinue', serve);
    rejectMalformedRequests(this.#server, api);
  }

  /** Listens on 127.0.0.1 and resolves with the address; rejects when the port is taken. */
  async listen(): Promise<string> {
    this.#server.listen(this.#options.port, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Takes no new requests, lets those in flight end for up to `graceMs`, and cuts the rest. */
  async close(graceMs: number): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    const timer = new AbortController();
    const grace = sleep(graceMs, undefined, { signal: timer.signal }).catch(() => {});
    await Promise.race([Promise.allSettled(this.#inFlight), grace]);
    timer.abort();
    this.#server.closeAllConnections();
    await closed;
  }

  #track(exchange: Promise<void>): void {
    this.#inFlight.add(exchange);
    exchange
      .catch((failure: Error) => this.#options.log(`the local gateway failed: ${failure.stack}`))
      .finally(() => this.#inFlight.delete(exchange));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const context = createRequestContext(request);
    const match = this.#route(context.method, context.path);
    const api = match?.api ?? this.#defaultApi;
    // A client may leave at any time; what that breaks is seen where the response is written.
    response.on('error', () => {});
    try {
      const rule = this.#exceeds(api.rateRules, context);
      if (rule !== undefined) return send(response, rule);
      await this.#respond({ match, context, request, response });
    } catch (failure) {
      if (failure instanceof ClientGone || response.destroyed) return;
      // A body that cannot go on is cut after what was sent of it.
      if (response.headersSent) return response.socket?.destroySoon();
      const fault = failure instanceof GatewayFault ? failure : faults.internal();
      if (fault !== failure) this.#options.log(`the local gateway failed: ${(failure as Error).stack}`);
      await reject({ request, response, gatewayResponse: renderFault(api, fault, context) });
    }
  }

  async #respond({ match, context, request, response }: OpenRequest): Promise<void> {
    if (!isWellEncoded(context.path)) throw faults.badRequest();
    if (match === undefined) throw faults.noSuchRoute();
    const ingress = this.#options.ingress?.(match.route.functionArn);
    if (ingress !== undefined) {
      if (request.headers.expect?.toLowerCase() === '100-continue') response.writeContinue();
      return ingress(request, response);
    }
    const body = await readBody(request, response, BODY_STALL_TIMEOUT_MS);
    await this.#integrate({ match, context, request, response, body });
  }
}

interface OpenRequest {
  readonly match: GatewayMatch | undefined;
  readonly context: GatewayRequestContext;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Statuses after which the rest of a body is not wanted, so the connection cannot be used again. */
const UNWANTED_BODY = new Set([408, 413]);

interface RejectedUpload {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly gatewayResponse: GatewayReplyBody;
}

async function reject({ request, response, gatewayResponse }: RejectedUpload): Promise<void> {
  if (request.complete || !UNWANTED_BODY.has(gatewayResponse.status)) return send(response, gatewayResponse);
  response.setHeader('connection', 'close');
  response.writeHead(gatewayResponse.status, withLength(gatewayResponse));
  response.write(gatewayResponse.body);
  // A client that is silent, or waits for `100 Continue`, sends no rest.
  if (gatewayResponse.status !== 408 && request.headers.expect === undefined) await drain(request);
  response.end();
}

function send(response: ServerResponse, gatewayResponse: GatewayReplyBody): void {
  response.writeHead(gatewayResponse.status, withLength(gatewayResponse));
  response.end(gatewayResponse.body);
}

function withLength({ headers, body }: GatewayReplyBody): Record<string, string | number> {
  return { ...headers, 'content-length': Buffer.byteLength(body) };
}
