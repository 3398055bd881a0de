/** The neutral request that every wire format is translated into, and the neutral answer that each writes in its own way. */

export type OutputSchema = boolean | Readonly<Record<string, unknown>>;

export interface ModelToolCall {
  /** In an answer without the prefix that wire formats put before it. */
  readonly id: string;
  readonly name: string;
  /** JSON text, as it stands on the wire; the text itself for a tool that takes one. */
  readonly arguments: string;
}

export interface ModelMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  /** All text parts, joined by a line feed. */
  readonly text: string;
  readonly imageCount: number;
  readonly name?: string | undefined;
  readonly toolCalls: readonly ModelToolCall[];
  /** On a `tool` message: the call it answers. */
  readonly toolCallId?: string | undefined;
  /** On a `tool` message: the call failed. */
  readonly isError?: boolean | undefined;
  /** The index of the message on the wire; system instructions beside the messages have none. */
  readonly turn?: number | undefined;
}

export interface ModelTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly parameters?: OutputSchema | undefined;
  /** Its input is a text of any form instead of a JSON document. */
  readonly freeform?: true | undefined;
}

type SimulatedCacheWrites = Readonly<Record<'5m' | '1h', number>>;

export interface ModelRequest {
  readonly model: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
  /** `required` makes the model call some tool, a name that one. */
  readonly toolChoice: 'auto' | 'none' | 'required' | { readonly name: string };
  readonly parallelToolCalls: boolean;
  /** The answer is JSON that satisfies it; absent means plain text. */
  readonly schema?: OutputSchema | undefined;
  /** Limit on each choice's tokens; absent means none. */
  readonly maxTokens?: number | undefined;
  readonly stop: readonly string[];
  readonly choiceCount: number;
  /** Asks for the reasoning before the answer, which counts into `maxTokens`. */
  readonly thinks?: boolean | undefined;
  /** Tokens of the prompt that were read from the prompt cache, and written to it by how long they are kept. */
  readonly cache?: { readonly read: number; readonly written: SimulatedCacheWrites } | undefined;
  /** Searches that the provider runs for the answer, whose pages are part of the prompt. */
  readonly webSearches?: number | undefined;
  /** Makes the model decline, whatever is asked. */
  readonly refuses?: boolean | undefined;
}

/** `refusal`: the text says that the model declines. */
export type SimulatedFinish = 'stop' | 'length' | 'tool-calls' | 'refusal';

export interface ModelChoice {
  readonly thinking?: string;
  /** Absent when the choice calls tools. */
  readonly text?: string;
  readonly toolCalls: readonly ModelToolCall[];
  readonly finishReason: SimulatedFinish;
  /** The stop sequence that ended the text, where one did. */
  readonly stopSequence?: string;
  readonly tokenCount: number;
}

export interface ModelUsage {
  readonly promptTokens: number;
  readonly cachedTokens: number;
  /** The part of `promptTokens` that was put into the prompt cache, and the same by how long it is kept there. */
  readonly cacheWriteTokens: number;
  readonly cacheWrites: SimulatedCacheWrites;
  readonly completionTokens: number;
  readonly thinkingTokens: number;
  readonly webSearches: number;
}

export interface ModelOutput {
  readonly choices: readonly ModelChoice[];
  readonly usage: ModelUsage;
}
