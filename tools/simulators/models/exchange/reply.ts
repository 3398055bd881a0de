/** The responses of a protocol, before faults and pacing turn them into bytes on a socket. */
import type { Fault } from '../control/fault.ts';
import type { StoredResponses } from '../control/kept-responses.ts';
import type { PromptCache } from './prompt-cache.ts';
import type { RequestError } from './request-error.ts';

/** The properties of a request that are known before its body is read. */
export interface RequestHead {
  readonly method: string;
  readonly path: string;
  /** With its `?`; empty or absent without one. */
  readonly query?: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Number of this request on this server, for ids that must not repeat. */
  readonly sequence: number;
}

export interface SimulatedCall extends RequestHead {
  /** The named segments of the path, decoded. */
  readonly parameters: Readonly<Record<string, string>>;
  /** The parsed JSON body or form, or undefined when the body is neither. */
  readonly body: unknown;
  readonly fault: Fault;
  readonly cache: PromptCache;
  readonly storedResponses: StoredResponses;
}

export interface CompleteReply {
  readonly kind: 'whole';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface SimulatedEvent {
  /** The event's name, in protocols that name their events. */
  readonly name?: string;
  readonly data: string;
  /** `content` events are what faults count and pacing separates; `between` ones open and close blocks; `end` events close an answer. */
  readonly part: 'start' | 'content' | 'between' | 'end';
  /** An error instead of an event, in encodings that mark it. */
  readonly failure?: true;
  /** The body ends within the event, before the line end that its encoding asks for. */
  readonly isUnended?: true;
}

export interface StreamedReply {
  readonly kind: 'stream';
  /** Headers in addition to those of the encoding. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Made one at a time, so that a client that disconnects ends the work. */
  readonly events: Iterable<SimulatedEvent>;
}

export type SimulatedResponse = CompleteReply | StreamedReply;

/** The encoding of events as bytes. */
export interface StreamEncoding {
  readonly headers: Readonly<Record<string, string>>;
  encode(event: SimulatedEvent, style: Pick<Fault, 'crlf' | 'comments'>): Buffer;
  /** A body of this encoding that no client can read, in pieces. */
  readonly garbage: readonly Buffer[];
}

/** The differences between the wire formats of providers, except the routes themselves. */
export interface WireProtocol {
  readonly encoding: StreamEncoding;
  /** The largest request body that is accepted. */
  readonly maxBodyBytes: number;
  /** The refusal of a request without the headers this protocol requires. */
  refusal(head: RequestHead): CompleteReply | undefined;
  /** The refusal of a body that breaks a rule. */
  badRequest(error: RequestError, head: RequestHead): CompleteReply;
  /** The error envelope for a status. */
  failure(status: number, head: RequestHead): CompleteReply;
  /** The in-band error of a stream that has begun. */
  failureEvent(call: SimulatedCall): SimulatedEvent;
  /** Headers of every response. */
  responseHeaders(head: RequestHead): Readonly<Record<string, string>>;
}

export interface SimulatedRoute {
  readonly method: string;
  /** A segment in braces, `{modelId}`, matches any one segment. */
  readonly path: string;
  readonly protocol: WireProtocol;
  /** Throws `RequestError` when the request breaks a rule. */
  reply(call: SimulatedCall): SimulatedResponse | Promise<SimulatedResponse>;
}

/** An answer in JSON. */
export function jsonResponse(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): CompleteReply {
  const bytes = Buffer.from(JSON.stringify(body));
  return { kind: 'whole', status, headers: { 'content-type': 'application/json', ...headers }, body: bytes };
}
