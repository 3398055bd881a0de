/** What the two conversational surfaces, chat and Messages, each know of their own words; the rest they share. */

import type { RouteControlFields } from '../routing/route-controls.ts';
import type { ChatPayload } from '../upstream/provider.ts';
import type { Completion } from './completion.ts';
import type { ReplyWriter, WriterOptions } from './reply-writer.ts';

/** The fields that both surfaces have under the same names. */
export interface SurfaceRequest extends RouteControlFields {
  readonly model: string;
  readonly stream?: boolean | null | undefined;
}

export interface FrameOptions<Request> {
  readonly request: Request;
  readonly started: Promise<Completion>;
  /** The error envelope of a failure. */
  readonly describe: (failure: unknown) => Readonly<Record<string, unknown>>;
}

export interface Surface<Request extends SurfaceRequest> {
  /** The request for the routes: defaults filled in, without nulls and without what is the service's own business. */
  toPayload(request: Request): ChatPayload;
  /** The most output tokens of one choice, and the field that says so. */
  maxTokens(request: Request): { readonly tokens: number; readonly param: string };
  choices(request: Request): number;
  /** The id of an answer. */
  answerId(ulid: string): string;
  writer(options: WriterOptions): ReplyWriter;
  /**
   * A stream as server-sent events, each complete with its blank line; a failure is one error event and never a
   * clean end. Does not throw.
   */
  frames(options: FrameOptions<Request>): AsyncGenerator<string, void>;
  /** Sent while a stream is idle. */
  readonly heartbeat: string;
}
