/** One request to a provider route, from the record that opens it to the outcome that closes it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Fault } from './control/fault.ts';
import type { FaultQueue } from './control/fault-queue.ts';
import { faultOfModelName } from './control/model-name-faults.ts';
import type { Outcome, RequestLog, RequestRecord } from './control/request-log.ts';
import { type DeliverySettings, deliver } from './exchange/deliver.ts';
import { ExchangeEnded, Link } from './exchange/link.ts';
import type { Protocol, WholeReply } from './exchange/reply.ts';
import { type RequestBody, readBody } from './exchange/request-body.ts';
import { RouteTable } from './exchange/route-table.ts';
import { ROUTES } from './routes.ts';

export interface UpstreamState {
  readonly faults: FaultQueue;
  readonly log: RequestLog;
  readonly settings: DeliverySettings;
}

const table = new RouteTable(ROUTES);

/** Sends a reply that no fault applies to. */
export function sendReply(response: ServerResponse, reply: WholeReply): void {
  response.writeHead(reply.status, { ...reply.headers, 'content-length': reply.body.length });
  response.end(reply.body);
}

/** A body as the log keeps it: of a file its name, type and size. */
function describeFiles(body: unknown): unknown {
  if (
    typeof body !== 'object' ||
    body === null ||
    !Object.values(body).some((value) => value instanceof File)
  )
    return body;
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) =>
      value instanceof File
        ? [name, { name: value.name, type: value.type, size: value.size }]
        : [name, value],
    ),
  );
}

/** What is refused before any fault or model is considered: missing headers, then a body that is too large. */
function refusalOf(protocol: Protocol, record: RequestRecord, body: RequestBody | undefined) {
  return protocol.refusal(record) ?? (body === undefined ? protocol.rejection(413, record) : undefined);
}

async function answerExchange(
  state: UpstreamState,
  request: IncomingMessage,
  response: ServerResponse,
  record: RequestRecord,
): Promise<Outcome> {
  const { method, path } = record;
  const match = table.find(method, path);
  const protocol = match?.route.protocol ?? table.protocolNear(path);
  const body = await readBody(request, protocol.maxBodyBytes);
  if (body !== undefined && body.byteLength > 0)
    state.log.keepBody(record, describeFiles(body.json ?? body.text), body.byteLength);
  const refusal = refusalOf(protocol, record, body);
  if (refusal !== undefined || match === undefined) {
    const reply = refusal ?? protocol.rejection(table.hasPath(path) ? 405 : 404, record);
    record.status = reply.status;
    const headers = { ...protocol.responseHeaders(record), ...reply.headers };
    sendReply(response, { ...reply, headers });
    return 'completed';
  }
  const { route, parameters } = match;
  const question = { parameters, body: body?.json };
  const model = route.modelOf(question);
  const queued = state.faults.take({ path, routePath: route.path, model });
  const fault: Fault = { ...faultOfModelName(model), ...queued };
  record.fault = fault;
  const { headers, sequence } = record;
  const call = { method, path, headers, sequence, ...question, fault };
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
