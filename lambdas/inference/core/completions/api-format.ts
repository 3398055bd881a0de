/**
 * The definitions that the API formats of a chat call do not share. The formats are chat completions, Messages and
 * Responses.
 */
import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { Clock } from '../../../platform/core/ports.ts';
import type { FieldTable } from '../fields/table.ts';
import type { RequestedBound } from '../metering/output-bound.ts';
import type { RouteControlFields } from '../routing/route-controls.ts';
import type { CallerProtocol, ChatPayload } from '../upstream/provider.ts';
import type { SealedTokens } from '../upstream/sealed-tokens.ts';
import type { FormatWriter } from './response-writer.ts';

/** The body of a request, with the fields that all formats have under the same names. */
export interface CompletionBody extends JsonObject, RouteControlFields {
  readonly model: string;
  readonly stream?: boolean | null | undefined;
}

/** The headers of a request, of which a format may read those of its protocol. */
export type CallerHeaders = Pick<Headers, 'get'>;

export interface ApiFormat<Body extends CompletionBody> {
  readonly protocol: CallerProtocol;
  readonly fields: FieldTable;
  /**
   * Returns the request in the form that routes receive: with defaults, without nulls, and without fields that only the
   * service uses. Throws 400 for a request that no route accepts, and `invalid_capsule` for a sealed token that does
   * not open.
   */
  toPayload(request: Body, sealedTokens: SealedTokens, headers?: CallerHeaders): ChatPayload;
  /**
   * Returns the indices in `tools` of the tools that the protocol defines and that the request does not force. Without
   * them, the response differs but is still valid. Absent in a format whose tools are all defined by the caller.
   */
  optionalTools?(request: Body): readonly number[];
  /** The request without these tools, and without a choice of them. */
  withoutTools?(request: Body, indices: ReadonlySet<number>): Body;
  maxTokens(request: Body): RequestedBound;
  /** The request with another bound, under the field that has its own. */
  withMaxTokens(request: Body, tokens: number): Body;
  choices(request: Body): number;
  /** Returns the id of a response from the ULID of its request, so that a receipt can be found by either. */
  responseId(ulid: string): string;
  /** Returns the writer for the response to one call. */
  createWriter(call: WriterContext<Body>): FormatWriter;
}

interface WriterContext<Body> {
  readonly request: Body;
  readonly responseId: string;
  /** The start of the call, in milliseconds. */
  readonly createdMs: number;
  readonly clock: Clock;
  readonly sealedTokens: SealedTokens;
  /** The version of the catalog that serves the call. */
  readonly catalog: string;
}
