/** The interface by which an API format writes a response, complete or as a stream. */
import type { Settlement } from '../../../ledger/core/call.ts';
import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { EventFormat } from '../../../platform/core/ports.ts';
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
  /** Returns the events of a stream part. Each part is given once, in order. */
  events(part: StreamPart): readonly JsonObject[];
}

/** Encodes one stream as server-sent events, each complete with its blank line. */
export interface StreamEncoder {
  /** Returns the texts of one event of the format. Those before a failure are part of the stream. */
  output(event: JsonObject): Iterable<string>;
  /** Returns the end of a stream that ended well, with its cost; by then it is settled. */
  end(usage: TokenUsage, settlement: Settlement): string;
}

/** Writes the response to one call, complete or as a stream. */
export interface FormatWriter {
  writer(options: WriterOptions): ResponseWriter;
  readonly encoder: StreamEncoder;
  readonly events: EventFormat;
}
