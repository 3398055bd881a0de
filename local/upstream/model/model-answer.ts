/** The neutral answer, which each wire format writes in its own way. */
import type { ModelToolCall } from './model-request.ts';

export type FinishReason = 'stop' | 'length' | 'tool-calls';

export interface ModelChoice {
  /** Absent when the choice calls tools. */
  readonly text?: string;
  readonly toolCalls: readonly ModelToolCall[];
  readonly finishReason: FinishReason;
  /** The stop sequence that ended the text, where one did. */
  readonly stopSequence?: string;
  readonly tokenCount: number;
}

export interface ModelUsage {
  readonly promptTokens: number;
  /** The part of `promptTokens` served from the prompt cache. */
  readonly cachedTokens: number;
  readonly completionTokens: number;
}

export interface ModelAnswer {
  readonly choices: readonly ModelChoice[];
  readonly usage: ModelUsage;
}
