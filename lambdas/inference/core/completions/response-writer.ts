/** The interface by which an API format writes a response, complete or as a stream. */
import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { TokenUsage } from '../pricing/token-usage.ts';
import type { StreamPart } from '../upstream/conversation.ts';
import type { CompleteResponse, ResponseIdentity } from '../upstream/provider.ts';

/** The values that a response is written with. */
export interface WriterOptions {
  readonly identity: ResponseIdentity;
  /** The service's own count of the prompt, for an event that must name one before the route has. */
  readonly promptTokens: () => number;
  /** Returns whether the route that serves the call has no way to express the requested reasoning. */
  readonly losesEffort?: () => boolean;
}

/** Writes one response in an API format. */
export interface ResponseWriter {
  /** Returns the body of a complete response. */
  body(response: CompleteResponse, usage: TokenUsage): string;
  /** The events that a part of a stream becomes; parts are given once each, in order. */
  events(part: StreamPart): readonly JsonObject[];
}
