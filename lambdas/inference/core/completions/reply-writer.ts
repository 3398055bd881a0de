/** The interface by which an API format writes an answer, complete or as a stream. */
import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { TokenUsage } from '../pricing/token-usage.ts';
import type { StreamPart } from '../upstream/conversation.ts';
import type { AnswerIdentity, WholeAnswer } from '../upstream/provider.ts';

/** The values that an answer is written with. */
export interface WriterOptions {
  readonly identity: AnswerIdentity;
  /** The service's own count of the prompt, for an event that must name one before the route has. */
  readonly promptTokens: () => number;
}

/** Writes one answer in an API format. */
export interface ReplyWriter {
  /** The body of a whole answer. */
  whole(answer: WholeAnswer, usage: TokenUsage): string;
  /** The events that a part of a stream becomes; parts are given once each, in order. */
  part(part: StreamPart): readonly JsonObject[];
}
