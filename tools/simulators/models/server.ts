/** A simulated model provider on a real socket, so that whatever talks to it could talk to a real one. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { startLoopbackServer } from '../loopback-server.ts';
import { FaultQueue } from './control/fault-queue.ts';
import { RequestLog } from './control/request-log.ts';
import { control } from './control-api.ts';
import { PromptCache } from './exchange/prompt-cache.ts';
import { jsonResponse } from './exchange/reply.ts';
import { readBody } from './exchange/request-body.ts';
import { countTokens } from './model/tokens.ts';
import { handleExchange, sendResponse, type UpstreamState } from './provider-api.ts';

export interface UpstreamOptions {
  /** Any free port is taken when this one is not to be had. */
  readonly port?: number;
  /** Time between two content chunks of a stream. */
  readonly chunkDelayMs?: number;
}

export interface Upstream {
  readonly url: string;
  readonly controlUrl: string;
  close(): Promise<void>;
}

/** 200 tokens a second, the pace of a fast hosted model. */
const DEFAULT_CHUNK_DELAY_MS = 5;
/** Room for a fault that replays the largest answer. */
const MAX_CONTROL_BODY_BYTES = 64 * 1024 * 1024;

async function handle(
  state: UpstreamState,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://localhost');
  if (!url.pathname.startsWith('/control/')) return handleExchange(state, request, response);
  const body = await readBody(request, MAX_CONTROL_BODY_BYTES);
  sendResponse(response, control(state, request.method ?? 'GET', url, body?.json));
}

export async function startUpstream(options: UpstreamOptions = {}): Promise<Upstream> {
  const { port = 0, chunkDelayMs = DEFAULT_CHUNK_DELAY_MS } = options;
  const state: UpstreamState = {
    faults: new FaultQueue(),
    log: new RequestLog(),
    cache: new PromptCache(),
    stored: { count: 0 },
    chunkDelayMs,
  };
  // The tokenizer reads its tables at the first use, which must not delay the first answer.
  countTokens('ready');
  const { url, stop } = await startLoopbackServer((request, response) => {
    response.on('error', () => response.destroy());
    handle(state, request, response).catch((error: unknown) => {
      console.error(error);
      if (response.headersSent) response.destroy();
      else sendResponse(response, jsonResponse(500, { error: { message: 'The simulator itself failed.' } }));
    });
  }, port);
  return { url, controlUrl: `${url}/control`, close: stop };
}
