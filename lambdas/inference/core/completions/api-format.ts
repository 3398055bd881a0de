/**
 * The definitions that the API formats of a chat call do not share. The formats are chat completions, Messages and
 * Responses.
 */
import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { Clock, EventFormat } from '../../../platform/core/ports.ts';
import type { FieldTable } from '../fields/table.ts';
import type { AskedBound } from '../metering/output-bound.ts';
import type { RouteControlFields } from '../routing/route-controls.ts';
import type { Capsules } from '../upstream/capsules.ts';
import type { CallerProtocol, ChatPayload } from '../upstream/provider.ts';
import type { StreamEvent } from './delivery.ts';
import type { ReplyWriter, WriterOptions } from './reply-writer.ts';

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
   * The request as routes get it: defaults filled in, without nulls and without the fields that only the service uses.
   * Throws 400 for what no route can be asked, and `invalid_capsule` for a capsule that does not open.
   */
  toPayload(request: Request, capsules: Capsules, headers?: CallerHeaders): ChatPayload;
  /**
   * Indices in `tools` of those that the protocol defines and that the request does not force: without them its answer is
   * another, but still an answer. Absent in a format whose tools are all the caller's.
   */
  optionalTools?(request: Request): readonly number[];
  /** The request without these tools, and without a choice of them. */
  withoutTools?(request: Request, indices: ReadonlySet<number>): Request;
  maxTokens(request: Request): AskedBound;
  /** The request with another bound, under the field that has its own. */
  withMaxTokens(request: Request, tokens: number): Request;
  choices(request: Request): number;
  /** The id of an answer. */
  answerId(ulid: string): string;
  /** Returns the writer for the answer of one call. */
  answer(call: AnsweredRequest<Request>): AnswerWriter;
}

interface AnsweredRequest<Request> {
  readonly request: Request;
  readonly answerId: string;
  /** The start of the call, in milliseconds. */
  readonly createdMs: number;
  readonly clock: Clock;
  readonly capsules: Capsules;
}

/** Writes the answer of one call, whole or as a stream. */
interface AnswerWriter {
  writer(options: WriterOptions): ReplyWriter;
  /** A stream as server-sent events, each complete with its blank line; a failure of its events is thrown on. */
  frames(events: AsyncIterable<StreamEvent>): AsyncGenerator<string, void>;
  readonly events: EventFormat;
}
