/** What a protocol answers with, before faults and pacing turn it into bytes on a socket. */
import type { Fault } from '../control/fault.ts';

/** What is known of a request before its body is read. */
export interface RequestHead {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Number of this request on this server, for ids that must not repeat. */
  readonly sequence: number;
}

/** What a request asks for, by which its model is found. */
export interface Question {
  /** The named segments of the path, decoded. */
  readonly parameters: Readonly<Record<string, string>>;
  /** The parsed JSON body, or undefined when the body is not JSON. */
  readonly body: unknown;
}

export interface Call extends RequestHead, Question {
  readonly fault: Fault;
}

export interface WholeReply {
  readonly kind: 'whole';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface StreamEvent {
  /** The event's name, in protocols that name their events. */
  readonly name?: string;
  readonly data: string;
  /** `content` events are what faults count and pacing separates; `between` ones open and close blocks; `end` events close an answer. */
  readonly part: 'start' | 'content' | 'between' | 'end';
  /** An error instead of an event, in encodings that mark it. */
  readonly failure?: true;
}

export interface StreamReply {
  readonly kind: 'stream';
  /** Beside those of the encoding. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Made one at a time, so that a client that leaves ends the work. */
  readonly events: Iterable<StreamEvent>;
}

export type Reply = WholeReply | StreamReply;

/** Faults that concern the writing of an event, in encodings that have the means. */
export interface StreamStyle {
  readonly crlf: boolean;
  readonly comments: boolean;
}

/** How events become bytes. */
export interface StreamEncoding {
  readonly headers: Readonly<Record<string, string>>;
  encode(event: StreamEvent, style: StreamStyle): Buffer;
  /** A body of this encoding that no client can read, in pieces. */
  readonly garbage: readonly Buffer[];
}

/** What differs between the wire formats of providers, apart from the routes themselves. */
export interface Protocol {
  readonly encoding: StreamEncoding;
  /** The largest request body that is taken. */
  readonly maxBodyBytes: number;
  /** The refusal of a request without the headers this protocol asks for. */
  refusal(head: RequestHead): WholeReply | undefined;
  /** The answer to a path (404) or method (405) that no route has, or to a body that is too large (413). */
  rejection(status: 404 | 405 | 413, head: RequestHead): WholeReply;
  /** The error envelope for a status; `note` ends its message. */
  failure(status: number, note: string, head: RequestHead): WholeReply;
  /** The in-band error of a stream that has begun; `note` ends its message. */
  failureEvent(note: string, call: Call): StreamEvent;
  /** Headers of every response. */
  responseHeaders(head: RequestHead): Readonly<Record<string, string>>;
}

export interface Route {
  readonly method: string;
  /** A segment in braces, `{modelId}`, stands for any one segment. */
  readonly path: string;
  readonly protocol: Protocol;
  /** The model a request names, by which behaviours and faults are chosen. */
  modelOf(question: Question): string | undefined;
  reply(call: Call): Reply | Promise<Reply>;
}

export function jsonReply(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): WholeReply {
  const bytes = Buffer.from(JSON.stringify(body));
  return { kind: 'whole', status, headers: { 'content-type': 'application/json', ...headers }, body: bytes };
}

/** `Route.modelOf` of protocols that name the model in the body. */
export function modelInBody({ body }: Question): string | undefined {
  const model = typeof body === 'object' && body !== null && 'model' in body ? body.model : undefined;
  return typeof model === 'string' ? model : undefined;
}

/** The note in parentheses after a message; an empty note changes nothing. */
export const withNote = (message: string, note: string): string =>
  note === '' ? message : `${message} (${note})`;
