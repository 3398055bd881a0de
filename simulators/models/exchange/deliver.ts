/** Turns one call into a response, faults included. */
import type { Fault } from '../control/fault.ts';
import type { Outcome, RequestRecord } from '../control/request-log.ts';
import { garbled } from './garbage.ts';
import type { Link } from './link.ts';
import { type Call, jsonReply, type Reply, type Route, type StreamReply, type WholeReply } from './reply.ts';
import { sendStream } from './send-stream.ts';

export interface DeliverySettings {
  /** Pace of streams that no fault sets. */
  readonly chunkDelayMs: number;
  /** Ends the message of every deliberate error, so that tests can see whether it leaks. */
  readonly canary: string;
}

export interface Delivery {
  readonly link: Link;
  readonly route: Route;
  readonly call: Call;
  readonly record: RequestRecord;
  readonly settings: DeliverySettings;
}

/** The fault's own headers, in the lower case that lets them replace ours. */
function faultHeaders(fault: Fault): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fault.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  );
}

/** The answer of a fault that sets a status; no model is asked. */
function statusReply({ route, call, settings }: Delivery, status: number): WholeReply {
  const { body, retry_after: retryAfter } = call.fault;
  const base =
    body === undefined ? route.protocol.failure(status, settings.canary, call) : jsonReply(status, body);
  const retry = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  return {
    ...base,
    headers: { ...base.headers, ...retry },
    body: typeof body === 'string' ? Buffer.from(body) : base.body,
  };
}

async function replyOf(delivery: Delivery): Promise<Reply> {
  const { route, call } = delivery;
  if (call.fault.status !== undefined) return statusReply(delivery, call.fault.status);
  const reply = await route.reply(call);
  return reply.kind === 'whole' && call.fault.garbage === true ? garbled(reply) : reply;
}

/** Sends the status and the headers: those of the protocol, of this answer, and of the fault, the latter winning. */
function begin({ link, route, call, record }: Delivery, reply: Reply): void {
  record.status = reply.kind === 'stream' ? 200 : reply.status;
  const own =
    reply.kind === 'stream'
      ? { ...route.protocol.encoding.headers, ...reply.headers }
      : { 'content-length': String(reply.body.length), ...reply.headers };
  link.begin(record.status, {
    ...route.protocol.responseHeaders(call),
    ...own,
    ...faultHeaders(call.fault),
  });
}

/** A fault that counts chunks meets a body that has none half-way. */
async function sendWhole(link: Link, reply: WholeReply, fault: Fault): Promise<void> {
  const cuts = fault.cut_after_chunks !== undefined;
  if (cuts || fault.hang_after_chunks !== undefined) {
    await link.write(reply.body.subarray(0, Math.ceil(reply.body.length / 2)));
    await (cuts ? link.cut() : link.hang());
  }
  if (reply.body.length > 0) await link.write(reply.body);
  await link.end();
}

/** Sends the events, or garbage in their place; true when the body did not end as the protocol asks for. */
async function sendEvents(delivery: Delivery, reply: StreamReply): Promise<boolean> {
  const { link, route, call, record, settings } = delivery;
  const { protocol } = route;
  const { fault } = call;
  if (fault.garbage === true) {
    for (const bytes of protocol.encoding.garbage) await link.write(bytes);
    await link.end();
    return true;
  }
  return sendStream(link, reply, {
    fault,
    encoding: protocol.encoding,
    chunkDelayMs: fault.chunk_delay_ms ?? settings.chunkDelayMs,
    failureEvent: protocol.failureEvent(settings.canary, call),
    onContent: () => {
      record.chunks += 1;
    },
  });
}

/** Answers the call. Throws `ExchangeEnded` when the client leaves or a fault cuts the connection. */
export async function deliver(delivery: Delivery): Promise<Outcome> {
  const { link, call } = delivery;
  const { fault } = call;
  await link.pause(fault.delay_ms ?? 0);
  if (fault.reset === true) link.reset();
  if (fault.hang === true) await link.hang();
  const reply = await replyOf(delivery);
  begin(delivery, reply);
  await link.pause(fault.first_chunk_delay_ms ?? 0);
  if (reply.kind === 'stream') return (await sendEvents(delivery, reply)) ? 'fault' : 'completed';
  await sendWhole(link, reply, fault);
  return fault.status !== undefined || fault.garbage === true ? 'fault' : 'completed';
}
