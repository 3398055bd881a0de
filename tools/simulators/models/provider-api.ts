/** One request to a provider route, from the record that opens it to the outcome that closes it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { anthropicRoutes } from './anthropic/routes.ts';
import { azureRoutes } from './azure/routes.ts';
import { bedrockRoutes } from './bedrock/routes.ts';
import type { Fault } from './control/fault.ts';
import type { FaultQueue } from './control/fault-queue.ts';
import type { StoredResponses } from './control/kept-responses.ts';
import { faultOfModelName } from './control/model-name-faults.ts';
import type { RequestLog, RequestOutcome, RequestRecord } from './control/request-log.ts';
import { deliver } from './exchange/deliver.ts';
import { ExchangeEnd, Link, type Wait } from './exchange/link.ts';
import type { PromptCache } from './exchange/prompt-cache.ts';
import type { CompleteReply, SimulatedRoute } from './exchange/reply.ts';
import { readBody } from './exchange/request-body.ts';
import { RouteTable } from './exchange/route-table.ts';
import { geminiRoutes } from './gemini/routes.ts';
import { hostRoutes } from './hosts/routes.ts';
import { openAiRoutes } from './openai/routes.ts';
import { responsesRoutes } from './responses/routes.ts';

export interface UpstreamState {
  readonly faults: FaultQueue;
  readonly log: RequestLog;
  readonly cache: PromptCache;
  readonly storedResponses: StoredResponses;
  /** Time between two content chunks of a stream. */
  readonly chunkDelayMs: number;
  readonly wait: Wait;
}

/** Every provider route this server speaks. */
const ROUTES: readonly SimulatedRoute[] = [
  ...openAiRoutes,
  ...responsesRoutes,
  ...anthropicRoutes,
  ...bedrockRoutes,
  ...hostRoutes,
  ...azureRoutes,
  ...geminiRoutes,
];
const table = new RouteTable(ROUTES);

/** Sends a reply that no fault applies to. */
export function sendResponse(response: ServerResponse, simulatedResponse: CompleteReply): void {
  response.writeHead(simulatedResponse.status, {
    ...simulatedResponse.headers,
    'content-length': simulatedResponse.body.length,
  });
  response.end(simulatedResponse.body);
}

/** A body as the log keeps it: of a file its name, type and size. */
function describeFiles(body: unknown): unknown {
  const isForm = Object.values(Object(body)).some((value) => value instanceof File);
  if (!isForm) return body;
  return Object.fromEntries(
    Object.entries(Object(body)).map(([name, value]) =>
      value instanceof File
        ? [name, { name: value.name, type: value.type, size: value.size }]
        : [name, value],
    ),
  );
}

/** The model a request names, by which faults are chosen: in the path, or in the body. */
function modelOf({ modelId }: Readonly<Record<string, string>>, body: unknown): string | undefined {
  const model = typeof body === 'object' && body !== null && 'model' in body ? body.model : undefined;
  return modelId ?? (typeof model === 'string' ? model : undefined);
}

async function respondToExchange(
  state: UpstreamState,
  request: IncomingMessage,
  response: ServerResponse,
  record: RequestRecord,
): Promise<RequestOutcome> {
  const { method, path } = record;
  const matches = table.matches(path);
  const match = matches.find(({ route }) => route.method === method);
  const protocol = match?.route.protocol ?? table.protocolNear(path);
  const body = await readBody(request, protocol.maxBodyBytes);
  if (body !== undefined && body.byteLength > 0)
    state.log.recordBody(record, describeFiles(body.json ?? body.text), body.byteLength);
  // Missing headers and a body that is too large are refused before any fault or model is considered.
  const rejection =
    protocol.refusal(record) ?? (body === undefined ? protocol.failure(413, record) : undefined);
  if (rejection !== undefined || match === undefined) {
    const simulatedResponse = rejection ?? protocol.failure(matches.length > 0 ? 405 : 404, record);
    record.status = simulatedResponse.status;
    sendResponse(response, {
      ...simulatedResponse,
      headers: { ...protocol.responseHeaders(record), ...simulatedResponse.headers },
    });
    return 'completed';
  }
  const { route, parameters } = match;
  const model = modelOf(parameters, body?.json);
  const fault: Fault = {
    ...faultOfModelName(model),
    ...state.faults.take({ path, routePath: route.path, model }),
  };
  const { cleared } = state.faults;
  record.fault = fault;
  const { headers, sequence, query } = record;
  const { cache, storedResponses, chunkDelayMs } = state;
  const head = { method, path, ...(query === undefined ? {} : { query }), headers, sequence };
  const call = { ...head, parameters, body: body?.json, fault, cache, storedResponses };
  return deliver({ link: new Link(response, fault, state.wait), route, call, record, chunkDelayMs, cleared });
}

/** Answers a request to a provider route and records how it ended. */
export async function handleExchange(
  state: UpstreamState,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname: path, search: query } = new URL(request.url ?? '/', 'http://localhost');
  const { method = 'GET', headers } = request;
  const record = state.log.open({ method, path, ...(query === '' ? {} : { query }), headers });
  let outcome: RequestOutcome = 'aborted';
  try {
    outcome = await respondToExchange(state, request, response, record);
  } catch (error) {
    if (error instanceof ExchangeEnd) outcome = error.outcome;
    else if (request.complete && !response.destroyed) throw error;
  } finally {
    state.log.close(record, outcome);
  }
}
