/**
 * The definitions that the API formats of a chat call do not share. The formats are chat completions, Messages and
 * Responses.
 */
import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { Clock, EventFormat } from '../../../platform/core/ports.ts';
import type { FieldTable } from '../fields/table.ts';
import type { RequestedBound } from '../metering/output-bound.ts';
import type { RouteControlFields } from '../routing/route-controls.ts';
import type { CallerProtocol, ChatPayload } from '../upstream/provider.ts';
import type { SealedTokens } from '../upstream/sealed-tokens.ts';
import type { CallStreamEvent } from './delivery.ts';
import type { ResponseWriter, WriterOptions } from './response-writer.ts';

/** The fields that the requests of all formats have under the same names. */
export interface CompletionRequest extends JsonObject, RouteControlFields {
  readonly model: string;
  readonly stream?: boolean | null | undefined;
}

/** The headers of a request, of which a format may read those of its protocol. */
export type CallerHeaders = Pick<Headers, 'get'>;

export interface ApiFormat<Request extends CompletionRequest> {
  readonly protocol: CallerProtocol;
  readonly fields: FieldTable;
  /**
   * Returns the request in the form that routes receive: with defaults, without nulls, and without fields that only the
   * service uses. Throws 400 for a request that no route accepts, and `invalid_capsule` for a sealed token that does
   * not open.
   */
  toPayload(request: Request, sealedTokens: SealedTokens, headers?: CallerHeaders): ChatPayload;
  /**
   * Returns the indices in `tools` of the tools that the protocol defines and that the request does not force. Without
   * them, the response differs but is still valid. Absent in a format whose tools are all defined by the caller.
   */
  optionalTools?(request: Request): readonly number[];
  /** The request without these tools, and without a choice of them. */
  withoutTools?(request: Request, indices: ReadonlySet<number>): Request;
  maxTokens(request: Request): RequestedBound;
  /** The request with another bound, under the field that has its own. */
  withMaxTokens(request: Request, tokens: number): Request;
  choices(request: Request): number;
  /** Returns the id of a response. */
  responseId(ulid: string): string;
  /** Returns the writer for the response to one call. */
  createWriter(call: WriterContext<Request>): FormatWriter;
}

interface WriterContext<Request> {
  readonly request: Request;
  readonly responseId: string;
  /** The start of the call, in milliseconds. */
  readonly createdMs: number;
  readonly clock: Clock;
  readonly sealedTokens: SealedTokens;
  /** The version of the catalog that serves the call. */
  readonly catalog: string;
}

/** Writes the response to one call, complete or as a stream. */
interface FormatWriter {
  writer(options: WriterOptions): ResponseWriter;
  /** A stream as server-sent events, each complete with its blank line; a failure of its events is thrown on. */
  encode(events: AsyncIterable<CallStreamEvent>): AsyncGenerator<string, void>;
  readonly events: EventFormat;
}
