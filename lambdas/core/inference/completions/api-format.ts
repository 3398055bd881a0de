/** What the API formats of a chat call, chat completions and Messages, each define; the rest they share. */
import type { EventFormat } from '../../ports.ts';
import type { RouteControlFields } from '../routing/route-controls.ts';
import type { ChatPayload } from '../upstream/provider.ts';
import type { StreamEvent } from './delivery.ts';
import type { ReplyWriter, WriterOptions } from './reply-writer.ts';

/** The fields that the requests of both formats have under the same names. */
export interface CompletionRequest extends RouteControlFields {
  readonly model: string;
  readonly stream?: boolean | null | undefined;
}

export interface ApiFormat<Request extends CompletionRequest> {
  /** The request for the routes: defaults filled in, without nulls and without the fields that only the service uses. */
  toPayload(request: Request): ChatPayload;
  /** The most output tokens of one choice, and the field that says so. */
  maxTokens(request: Request): { readonly tokens: number; readonly param: string };
  choices(request: Request): number;
  /** The id of an answer. */
  answerId(ulid: string): string;
  writer(options: WriterOptions): ReplyWriter;
  /** A stream as server-sent events, each complete with its blank line; a failure of its events is thrown on. */
  frames(request: Request, events: AsyncIterable<StreamEvent>): AsyncGenerator<string, void>;
  readonly events: EventFormat;
}
