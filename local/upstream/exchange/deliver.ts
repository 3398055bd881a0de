/** Turns one call into a response, faults included. */
import type { Fault } from '../control/fault.ts';
import type { Outcome, RequestRecord } from '../control/request-log.ts';
import { garbled } from './garbage.ts';
import type { Link } from './link.ts';
import { type Call, jsonReply, type Protocol, type Reply, type Route, type WholeReply } from './reply.ts';
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
function statusReply(protocol: Protocol, fault: Fault, status: number, canary: string): WholeReply {
  const { body, retry_after: retryAfter } = fault;
  const base = body === undefined ? protocol.failure(status, canary) : jsonReply(status, body);
  return {
    ...base,
    headers: {
      ...base.headers,
      ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
      ...faultHeaders(fault),
    },
    body: typeof body === 'string' ? Buffer.from(body) : base.body,
  };
}

function replyOf({ route, call, settings }: Delivery): Reply {
  const { fault } = call;
  if (fault.status !== undefined) return statusReply(route.protocol, fault, fault.status, settings.canary);
  const reply = route.reply(call);
  const withHeaders = { ...reply, headers: { ...reply.headers, ...faultHeaders(fault) } };
  return fault.garbage === true ? garbled(withHeaders) : withHeaders;
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

/** Answers the call. Throws `ExchangeEnded` when the client leaves or a fault cuts the connection. */
export async function deliver(delivery: Delivery): Promise<Outcome> {
  const { link, route, call, record, settings } = delivery;
  const { fault } = call;
  await link.pause(fault.delay_ms ?? 0);
  if (fault.reset === true) link.reset();
  if (fault.hang === true) await link.hang();
  const reply = replyOf(delivery);
  const headers = { ...route.protocol.responseHeaders(call.sequence), ...reply.headers };
  record.status = reply.kind === 'stream' ? 200 : reply.status;
  const length = reply.kind === 'whole' ? { 'content-length': String(reply.body.length) } : {};
  link.begin(record.status, { ...length, ...headers });
  await link.pause(fault.first_chunk_delay_ms ?? 0);
  if (reply.kind === 'whole') {
    await sendWhole(link, reply, fault);
    return fault.status !== undefined || fault.garbage === true ? 'fault' : 'completed';
  }
  const spoilt = await sendStream(link, reply, {
    fault,
    chunkDelayMs: fault.chunk_delay_ms ?? settings.chunkDelayMs,
    failureEvent: route.protocol.failureEvent(settings.canary),
    onContent: () => {
      record.chunks += 1;
    },
  });
  return spoilt || fault.garbage === true ? 'fault' : 'completed';
}
