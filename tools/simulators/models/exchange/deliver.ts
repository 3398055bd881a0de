/** Turns one call into a response at the model's pace, faults included. */
import type { RequestOutcome, RequestRecord } from '../control/request-log.ts';
import { NOT_JSON } from './encodings.ts';
import type { Link } from './link.ts';
import {
  type CompleteReply,
  jsonResponse,
  type SimulatedCall,
  type SimulatedResponse,
  type SimulatedRoute,
  type StreamedReply,
} from './reply.ts';
import { RequestError } from './request-error.ts';

export interface ResponseDelivery {
  readonly link: Link;
  readonly route: SimulatedRoute;
  readonly call: SimulatedCall;
  readonly record: RequestRecord;
  /** Pace of streams that no fault sets. */
  readonly chunkDelayMs: number;
  /** Ends a wait that a fault has begun. */
  readonly cleared: AbortSignal;
}

/** The answer of a fault that sets a status; no model is asked. */
function statusResponse({ route, call }: ResponseDelivery, status: number): CompleteReply {
  const { body } = call.fault;
  if (body === undefined) return route.protocol.failure(status, call);
  const json = jsonResponse(status, body);
  return typeof body === 'string' ? { ...json, body: Buffer.from(body) } : json;
}

async function completeResponseOf(delivery: ResponseDelivery): Promise<SimulatedResponse> {
  const { route, call } = delivery;
  if (call.fault.status !== undefined) return statusResponse(delivery, call.fault.status);
  try {
    const reply = await route.reply(call);
    const isGarbled = reply.kind === 'whole' && call.fault.garbage === true;
    return isGarbled ? { ...reply, status: 200, body: Buffer.from(NOT_JSON) } : reply;
  } catch (error) {
    if (error instanceof RequestError) return route.protocol.badRequest(error, call);
    throw error;
  }
}

/** Sends the status and the headers: those of the protocol, of this answer, and of the fault, the latter winning. */
function startResponse({ link, route, call, record }: ResponseDelivery, reply: SimulatedResponse): void {
  record.status = reply.kind === 'stream' ? 200 : reply.status;
  const routeHeaders =
    reply.kind === 'stream'
      ? route.protocol.encoding.headers
      : { 'content-length': String(reply.body.length) };
  const headers: Record<string, string> = {
    ...route.protocol.responseHeaders(call),
    ...routeHeaders,
    ...reply.headers,
  };
  // In the lower case that lets them replace ours.
  for (const [name, value] of Object.entries(call.fault.headers ?? {})) headers[name.toLowerCase()] = value;
  link.start(record.status, headers);
}

/** A fault that counts chunks stops half-way a body that has none. */
async function sendComplete(
  { link, call: { fault }, cleared }: ResponseDelivery,
  reply: CompleteReply,
): Promise<void> {
  if (fault.wait_after_chunks !== undefined) await link.until(cleared);
  const cuts = fault.cut_after_chunks !== undefined;
  if (cuts || fault.hang_after_chunks !== undefined) {
    await link.write(reply.body.subarray(0, Math.ceil(reply.body.length / 2)));
    await (cuts ? link.cut() : link.hang());
  }
  if (reply.body.length > 0) await link.write(reply.body);
  await link.end();
}

/** Sends the events; true when the body ended otherwise than the protocol requires. */
async function sendEvents(
  { link, route, call, record, chunkDelayMs, cleared }: ResponseDelivery,
  reply: StreamedReply,
): Promise<boolean> {
  const { encoding } = route.protocol;
  const { fault } = call;
  if (fault.garbage === true) {
    for (const bytes of encoding.garbage) await link.write(bytes);
    return true;
  }
  for (const event of reply.events) {
    const { chunks } = record;
    if (chunks === fault.wait_after_chunks) await link.until(cleared);
    if (event.part !== 'start') {
      if (chunks === fault.cut_after_chunks) await link.cut();
      if (chunks === fault.hang_after_chunks) await link.hang();
      if (chunks === fault.error_event_after_chunks) {
        const failure = route.protocol.failureEvent(call);
        await link.write(encoding.encode({ ...failure, part: 'end', failure: true }));
        return true;
      }
    }
    if (event.part === 'content') {
      if (chunks > 0) await link.pause(fault.chunk_delay_ms ?? chunkDelayMs);
      record.chunks += 1;
    }
    await link.write(encoding.encode(event));
  }
  return false;
}

/** Answers the call. Throws `ExchangeEnded` when the client disconnects or a fault cuts the connection. */
export async function deliver(delivery: ResponseDelivery): Promise<RequestOutcome> {
  const { link, call } = delivery;
  const { fault } = call;
  await link.pause(fault.delay_ms ?? 0);
  if (fault.reset === true) link.reset();
  if (fault.hang === true) await link.hang();
  const reply = await completeResponseOf(delivery);
  startResponse(delivery, reply);
  if (reply.kind === 'stream') {
    const isFault = await sendEvents(delivery, reply);
    await link.end();
    return isFault ? 'fault' : 'completed';
  }
  await sendComplete(delivery, reply);
  return fault.status !== undefined || fault.garbage === true ? 'fault' : 'completed';
}
