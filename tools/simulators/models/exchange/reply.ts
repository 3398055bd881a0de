/** The responses of a protocol, before faults and pacing turn them into bytes on a socket. */
import type { Fault } from '../control/fault.ts';
import type { RequestRecord } from '../control/request-log.ts';
import type { PromptCache } from './prompt-cache.ts';
import type { RequestError } from './request-error.ts';

/** The properties of a request that are known before its body is read; `sequence` is for ids that must not repeat. */
export type RequestHead = Pick<RequestRecord, 'method' | 'path' | 'query' | 'headers' | 'sequence'>;

export interface SimulatedCall extends RequestHead {
  /** The named segments of the path, decoded. */
  readonly parameters: Readonly<Record<string, string>>;
  /** The parsed JSON body or form, or undefined when the body is neither. */
  readonly body: unknown;
  readonly fault: Fault;
  readonly cache: PromptCache;
  /** The number of answers that requests had stored, for later requests; none is read again. */
  readonly stored: { count: number };
}

export interface CompleteReply {
  readonly kind: 'whole';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface SimulatedEvent {
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

export interface StreamEncoding {
  readonly headers: Readonly<Record<string, string>>;
  encode(event: SimulatedEvent): Buffer;
  /** A body of this encoding that no client can read, in pieces. */
  readonly garbage: readonly Buffer[];
}

export interface WireProtocol {
  readonly encoding: StreamEncoding;
  readonly maxBodyBytes: number;
  /** The refusal of a request without the headers this protocol requires. */
  refusal(head: RequestHead): CompleteReply | undefined;
  badRequest(error: RequestError, head: RequestHead): CompleteReply;
  failure(status: number, head: RequestHead): CompleteReply;
  failureEvent(call: SimulatedCall): Pick<SimulatedEvent, 'name' | 'data'>;
  responseHeaders(head: RequestHead): Readonly<Record<string, string>>;
}

/** Throws `RequestError` when the request breaks a rule. */
type Responder = (call: SimulatedCall) => SimulatedResponse | Promise<SimulatedResponse>;

export interface SimulatedRoute {
  readonly method: string;
  /** A segment in braces, `{modelId}`, matches any one segment. */
  readonly path: string;
  readonly protocol: WireProtocol;
  readonly reply: Responder;
}

export const postRoute = (protocol: WireProtocol, path: string, reply: Responder): SimulatedRoute => ({
  method: 'POST',
  path,
  protocol,
  reply,
});

export function jsonResponse(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): CompleteReply {
  const bytes = Buffer.from(JSON.stringify(body));
  return { kind: 'whole', status, headers: { 'content-type': 'application/json', ...headers }, body: bytes };
}

/** The answer to a request that may ask for a stream. */
export const answerAs = (
  isStream: boolean | null | undefined,
  document: () => unknown,
  events: () => Iterable<SimulatedEvent>,
): SimulatedResponse =>
  isStream === true ? { kind: 'stream', events: events() } : jsonResponse(200, document());

/** The field with the usage, in which a fault's figures replace the model's; none if the fault omits it. */
export const usageField = (name: string, figures: object, { no_usage: omits, usage }: Fault): object =>
  omits === true ? {} : { [name]: { ...figures, ...usage } };
