/** What the two conversational surfaces, chat and Messages, each know of their own words; the rest they share. */
import type { Completion } from './completion.ts';
import type { StreamPart } from './conversation.ts';
import type { TokenUsage } from './price.ts';
import type { ChatPayload, Identity, JsonObject, WholeAnswer } from './provider.ts';
import type { RouteControlFields } from './route-controls.ts';

/** The fields that both surfaces have under the same names. */
export interface SurfaceRequest extends RouteControlFields {
  readonly model: string;
  readonly stream?: boolean | null | undefined;
}

/** What an answer is written with. */
export interface WriterOptions {
  readonly identity: Identity;
  /** When the call began, milliseconds. */
  readonly createdMs: number;
  /** The service's own count of the prompt, for an event that must name one before the route has. */
  readonly promptTokens: () => number;
}

/** Writes one answer in the surface's words. */
export interface ReplyWriter {
  /** The body of a whole answer. */
  whole(answer: WholeAnswer, usage: TokenUsage): string;
  /** The events that a part of a stream becomes; parts are given once each, in order. */
  part(part: StreamPart): readonly JsonObject[];
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
