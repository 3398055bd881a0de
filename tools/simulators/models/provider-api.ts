/** One request to a provider route, from the record that opens it to the outcome that closes it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { anthropicRoutes } from './anthropic/routes.ts';
import { azureRoutes } from './azure/routes.ts';
import { bedrockRoutes } from './bedrock/routes.ts';
import type { FaultQueue } from './control/fault-queue.ts';
import { faultOfModelName } from './control/model-name-faults.ts';
import type { RequestLog, RequestOutcome, RequestRecord } from './control/request-log.ts';
import { deliver } from './exchange/deliver.ts';
import { ExchangeEnd, Link } from './exchange/link.ts';
import type { PromptCache } from './exchange/prompt-cache.ts';
import type { CompleteReply, SimulatedRoute } from './exchange/reply.ts';
import { readBody } from './exchange/request-body.ts';
import { geminiRoutes } from './gemini/routes.ts';
import { hostRoutes } from './hosts/routes.ts';
import { listRoutes } from './lists.ts';
import { openAiProtocol } from './openai/protocol.ts';
import { openAiRoutes } from './openai/routes.ts';
import { pollyRoutes } from './polly/routes.ts';
import { responsesRoutes } from './responses/routes.ts';

export interface UpstreamState {
  readonly faults: FaultQueue;
  readonly log: RequestLog;
  readonly cache: PromptCache;
  readonly stored: { count: number };
  /** Time between two content chunks of a stream. */
  readonly chunkDelayMs: number;
}

const ROUTES: readonly SimulatedRoute[] = [
  ...openAiRoutes,
  ...responsesRoutes,
  ...anthropicRoutes,
  ...bedrockRoutes,
  ...hostRoutes,
  ...azureRoutes,
  ...geminiRoutes,
  ...pollyRoutes,
  ...listRoutes,
];
const TABLE = ROUTES.map((route) => {
  const pathname = route.path.replaceAll(/\{(\w+)\}/gu, ':$1');
  return { route, pattern: new URLPattern({ pathname }) };
});

/** The route of a request, and the named segments of its path without their percent escapes. */
function matchOf(method: string, pathname: string) {
  const found = TABLE.find(({ route, pattern }) => route.method === method && pattern.test({ pathname }));
  if (found === undefined) return undefined;
  const segments = Object.entries(found.pattern.exec({ pathname })?.pathname.groups ?? {});
  const decoded = segments.map(([name, value = '']) => [name, decodeURIComponent(value)]);
  return { route: found.route, parameters: Object.fromEntries(decoded) as Record<string, string> };
}

export function sendResponse(response: ServerResponse, simulatedResponse: CompleteReply): void {
  response.writeHead(simulatedResponse.status, {
    ...simulatedResponse.headers,
    'content-length': simulatedResponse.body.length,
  });
  response.end(simulatedResponse.body);
}

/** A body as the log keeps it: of a file its name, type and size. */
function describeFiles(body: unknown): unknown {
  if (!Object.values(Object(body)).some((value) => value instanceof File)) return body;
  const shown = (value: unknown) =>
    value instanceof File ? { name: value.name, type: value.type, size: value.size } : value;
  return Object.fromEntries(Object.entries(Object(body)).map(([name, value]) => [name, shown(value)]));
}

/** The model a request names, by which faults are chosen: in the path, or in the body. */
function modelOf({ modelId }: Readonly<Record<string, string>>, body: unknown): string | undefined {
  const { model } = Object(body);
  return modelId ?? (typeof model === 'string' ? model : undefined);
}

async function respondToExchange(
  state: UpstreamState,
  request: IncomingMessage,
  response: ServerResponse,
  record: RequestRecord,
): Promise<RequestOutcome> {
  const { method, path } = record;
  const match = matchOf(method, path);
  const protocol = match?.route.protocol ?? openAiProtocol;
  const body = await readBody(request, protocol.maxBodyBytes);
  if (body !== undefined && body.byteLength > 0)
    state.log.recordBody(record, describeFiles(body.json ?? body.text), body.byteLength);
  // Missing headers and a body that is too large are refused before any fault or model is considered.
  const rejection =
    protocol.refusal(record) ?? (body === undefined ? protocol.failure(413, record) : undefined);
  if (rejection !== undefined || match === undefined) {
    const simulatedResponse = rejection ?? protocol.failure(404, record);
    record.status = simulatedResponse.status;
    sendResponse(response, {
      ...simulatedResponse,
      headers: { ...protocol.responseHeaders(record), ...simulatedResponse.headers },
    });
    return 'completed';
  }
  const { route, parameters } = match;
  const model = modelOf(parameters, body?.json);
  const named = faultOfModelName(model);
  const fault = { ...named, ...state.faults.take({ path, routePath: route.path, model }) };
  const { cleared } = state.faults;
  const { cache, stored, chunkDelayMs } = state;
  const call = { ...record, parameters, body: body?.json, fault, cache, stored };
  return deliver({ link: new Link(response, fault), route, call, record, chunkDelayMs, cleared });
}

export async function handleExchange(
  state: UpstreamState,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname: path, search: query } = new URL(request.url ?? '/', 'http://localhost');
  const { method = 'GET', headers } = request;
  const record = state.log.open({ method, path, query, headers });
  try {
    record.outcome = await respondToExchange(state, request, response, record);
  } catch (error) {
    record.outcome = error instanceof ExchangeEnd ? error.outcome : 'aborted';
    if (!(error instanceof ExchangeEnd) && request.complete && !response.destroyed) throw error;
  }
}
