/** A simulated model provider on a real socket, so that whatever talks to it could talk to a real one. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { control } from './control/control-api.ts';
import { FaultQueue } from './control/fault-queue.ts';
import { StoredResponses } from './control/kept-responses.ts';
import { RequestLog } from './control/request-log.ts';
import { type Wait, wait as waitForTime } from './exchange/link.ts';
import { PromptCache } from './exchange/prompt-cache.ts';
import { jsonResponse } from './exchange/reply.ts';
import { readBody } from './exchange/request-body.ts';
import { countTokens } from './model/tokens.ts';
import { handleExchange, sendResponse, type UpstreamState } from './provider-api.ts';

export interface UpstreamOptions {
  /** 0, the default, takes a free port. */
  readonly port?: number;
  readonly host?: string;
  /** Time between two content chunks of a stream. */
  readonly chunkDelayMs?: number;
  /** Replaces the passing of time in its delays. */
  readonly wait?: Wait;
}

export interface Upstream {
  readonly url: string;
  readonly controlUrl: string;
  /** Stops listening and cuts every open connection. */
  close(): Promise<void>;
}

/** 200 tokens a second, the pace of a fast hosted model. */
const DEFAULT_CHUNK_DELAY_MS = 5;
/** Longer than clients keep idle connections, so that no request meets one that is just closing. */
const KEEP_ALIVE_TIMEOUT_MS = 120_000;
/** Room for a fault that replays the largest answer. */
const MAX_CONTROL_BODY_BYTES = 64 * 1024 * 1024;

async function handle(
  state: UpstreamState,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://localhost');
  if (url.pathname !== '/control' && !url.pathname.startsWith('/control/')) {
    return handleExchange(state, request, response);
  }
  const body = await readBody(request, MAX_CONTROL_BODY_BYTES);
  const simulatedResponse = control(state, { method: request.method ?? 'GET', url, body: body?.json });
  sendResponse(response, jsonResponse(simulatedResponse.status, simulatedResponse.body));
}

function createUpstreamServer(state: UpstreamState): Server {
  const server = createServer((request, response) => {
    response.on('error', () => response.destroy());
    handle(state, request, response).catch((error: unknown) => {
      console.error(error);
      if (response.headersSent) response.destroy();
      else sendResponse(response, jsonResponse(500, { error: { message: 'The simulator itself failed.' } }));
    });
  });
  server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT_MS;
  return server;
}

/** Starts the server and resolves when it listens. Rejects when the port is taken. */
export async function startUpstream(options: UpstreamOptions = {}): Promise<Upstream> {
  const { port = 0, host = '127.0.0.1', chunkDelayMs = DEFAULT_CHUNK_DELAY_MS, wait = waitForTime } = options;
  const state: UpstreamState = {
    faults: new FaultQueue(),
    log: new RequestLog(),
    cache: new PromptCache(),
    storedResponses: new StoredResponses(),
    chunkDelayMs,
    wait,
  };
  // The tokenizer reads its tables at the first use, which must not delay the first answer.
  countTokens('ready');
  const server = createUpstreamServer(state);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const address = server.address() as AddressInfo;
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`;
  return {
    url,
    controlUrl: `${url}/control`,
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error === undefined ? resolve() : reject(error)));
        server.closeAllConnections();
      }),
  };
}
