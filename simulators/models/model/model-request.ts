/** The neutral question every wire format is translated into, so that one model answers them all alike. */

export type JsonSchema = boolean | Readonly<Record<string, unknown>>;

export interface ModelToolCall {
  /** In an answer without the prefix that wire formats put before it. */
  readonly id: string;
  readonly name: string;
  /** JSON text, as it stands on the wire. */
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
}

export interface ModelTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly parameters?: JsonSchema | undefined;
}

export type ToolChoice =
  | { readonly kind: 'auto' }
  | { readonly kind: 'none' }
  | { readonly kind: 'required' }
  | { readonly kind: 'tool'; readonly name: string };

export type AnswerFormat =
  | { readonly kind: 'text' }
  | { readonly kind: 'json-object' }
  | { readonly kind: 'json-schema'; readonly schema: JsonSchema };

export interface ModelRequest {
  readonly model: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
  readonly toolChoice: ToolChoice;
  readonly parallelToolCalls: boolean;
  readonly format: AnswerFormat;
  /** Limit on each choice's tokens; absent means none. */
  readonly maxTokens?: number | undefined;
  readonly stop: readonly string[];
  readonly choiceCount: number;
  /** Asks for a text of exactly this many one-token pieces, whatever the other limits say. */
  readonly exactTokens?: number | undefined;
  /** Asks for the reasoning before the answer, which counts into `maxTokens`. */
  readonly thinks?: boolean | undefined;
  /** Asks to keep the prompt in the prompt cache. */
  readonly writesCache?: boolean | undefined;
  /** Makes the model decline, whatever is asked. */
  readonly refuses?: boolean | undefined;
}
