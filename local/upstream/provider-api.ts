/** One request to a provider route, from the record that opens it to the outcome that closes it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Fault } from './control/fault.ts';
import type { FaultQueue } from './control/fault-queue.ts';
import { faultOfModelName } from './control/model-name-faults.ts';
import type { Outcome, RequestLog, RequestRecord } from './control/request-log.ts';
import { type DeliverySettings, deliver } from './exchange/deliver.ts';
import { ExchangeEnded, Link } from './exchange/link.ts';
import type { Route, WholeReply } from './exchange/reply.ts';
import { type RequestBody, readBody } from './exchange/request-body.ts';
import { errorReply, openAiProtocol } from './openai/protocol.ts';
import { ROUTES } from './routes.ts';

export interface UpstreamState {
  readonly faults: FaultQueue;
  readonly log: RequestLog;
  readonly settings: DeliverySettings;
}

/** Sends a reply that no fault applies to. */
export function sendReply(response: ServerResponse, reply: WholeReply): void {
  response.writeHead(reply.status, { ...reply.headers, 'content-length': reply.body.length });
  response.end(reply.body);
}

/** The refusal of a path or method that no route has, in OpenAI's words. */
function notFound(method: string, path: string): WholeReply {
  if (ROUTES.every((route) => route.path !== path)) {
    return errorReply(404, { message: `Invalid URL (${method} ${path})` });
  }
  const hint = '(HINT: Perhaps you meant to make your HTTP request using a different method?)';
  return errorReply(405, { message: `Not allowed to ${method} on ${path}. ${hint}` });
}

/** What is refused before any fault or model is considered. */
function refusalOf(request: IncomingMessage, route: Route | undefined, body: RequestBody | undefined) {
  const refusal = (route?.protocol ?? openAiProtocol).refusal(request.headers);
  if (refusal !== undefined) return refusal;
  return body === undefined ? errorReply(413, { message: 'Request too large.' }) : undefined;
}

async function answerExchange(
  state: UpstreamState,
  request: IncomingMessage,
  response: ServerResponse,
  record: RequestRecord,
): Promise<Outcome> {
  const { method, path, sequence } = record;
  const route = ROUTES.find((candidate) => candidate.method === method && candidate.path === path);
  const body = await readBody(request);
  if (body !== undefined && body.byteLength > 0)
    state.log.keepBody(record, body.json ?? body.text, body.byteLength);
  const refusal = refusalOf(request, route, body);
  if (refusal !== undefined || route === undefined) {
    const reply = refusal ?? notFound(method, path);
    record.status = reply.status;
    sendReply(response, reply);
    return 'completed';
  }
  const model = route.modelOf(body?.json);
  const fault: Fault = { ...faultOfModelName(model), ...state.faults.take({ path, model }) };
  record.fault = fault;
  const call = { path, body: body?.json, fault, sequence };
  return deliver({ link: new Link(response, fault), route, call, record, settings: state.settings });
}

/** Answers a request to a provider route and records how it ended. */
export async function handleExchange(
  state: UpstreamState,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = new URL(request.url ?? '/', 'http://localhost').pathname;
  const record = state.log.open({ method: request.method ?? 'GET', path, headers: request.headers });
  let outcome: Outcome = 'aborted';
  try {
    outcome = await answerExchange(state, request, response, record);
  } catch (error) {
    if (error instanceof ExchangeEnded) outcome = error.outcome;
    else if (request.complete && !response.destroyed) throw error;
  } finally {
    state.log.close(record, outcome);
  }
}
