/** What a protocol answers with, before faults and pacing turn it into bytes on a socket. */
import type { Fault } from '../control/fault.ts';

export interface WholeReply {
  readonly kind: 'whole';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface StreamEvent {
  /** SSE event name, in protocols that name their events. */
  readonly name?: string;
  readonly data: string;
  /** `content` events are what faults count and pacing separates; `end` events close an answer. */
  readonly part: 'start' | 'content' | 'end';
}

export interface StreamReply {
  readonly kind: 'stream';
  readonly headers: Readonly<Record<string, string>>;
  /** Made one at a time, so that a client that leaves ends the work. */
  readonly events: Iterable<StreamEvent>;
}

export type Reply = WholeReply | StreamReply;

export interface Call {
  readonly path: string;
  /** The parsed JSON body, or undefined when the body is not JSON. */
  readonly body: unknown;
  readonly fault: Fault;
  /** Number of this request on this server, for ids that must not repeat. */
  readonly sequence: number;
}

/** What differs between the wire formats of providers, apart from the routes themselves. */
export interface Protocol {
  /** The refusal of a request without the credentials this protocol asks for. */
  refusal(headers: Readonly<Record<string, string | string[] | undefined>>): WholeReply | undefined;
  /** The error envelope for a status; `note` ends its message. */
  failure(status: number, note: string): WholeReply;
  /** The in-band error of a stream that has begun; `note` ends its message. */
  failureEvent(note: string): StreamEvent;
  /** Headers of every response. */
  responseHeaders(sequence: number): Readonly<Record<string, string>>;
}

export interface Route {
  readonly method: string;
  readonly path: string;
  readonly protocol: Protocol;
  /** The model a request names, by which behaviours and faults are chosen. */
  modelOf(body: unknown): string | undefined;
  reply(call: Call): Reply;
}

export function jsonReply(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): WholeReply {
  const bytes = Buffer.from(JSON.stringify(body));
  return { kind: 'whole', status, headers: { 'content-type': 'application/json', ...headers }, body: bytes };
}
