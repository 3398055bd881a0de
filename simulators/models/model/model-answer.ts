/** The neutral answer, which each wire format writes in its own way. */
import type { ModelToolCall } from './model-request.ts';

/** `refusal`: the text says that the model declines. */
export type FinishReason = 'stop' | 'length' | 'tool-calls' | 'refusal';

export interface ModelChoice {
  /** The reasoning before the answer, where it was asked for. */
  readonly thinking?: string;
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
  /** The part of `promptTokens` that was put into the prompt cache. */
  readonly cacheWriteTokens: number;
  readonly completionTokens: number;
  /** The part of `completionTokens` spent on reasoning. */
  readonly thinkingTokens: number;
}

export interface ModelAnswer {
  readonly choices: readonly ModelChoice[];
  readonly usage: ModelUsage;
}
