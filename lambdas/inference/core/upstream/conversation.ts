/**
 * A chat call and its response, independent of any protocol. API formats are converted to it, and routes of other
 * protocols are converted from it. It contains only features that at least two protocols support.
 */
import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import { EFFORTS, type Effort } from '../catalog/dialect.ts';
import type { AudioFormat, MediaSource } from './sources.ts';

/**
 * The times for which a provider retains a part of a prompt with a caller's cache breakpoint (Claude docs, Prompt
 * caching).
 */
export const CACHE_LIFETIMES = ['5m', '1h'] as const;
export type CacheLifetime = (typeof CACHE_LIFETIMES)[number];

/**
 * A part of a prompt that can have a cache breakpoint. The breakpoint requests a cache of the prompt up to the end of
 * the part.
 */
export interface CacheBreakpoint {
  readonly cache?: CacheLifetime;
}

export interface TextPart extends CacheBreakpoint {
  readonly type: 'text';
  readonly text: string;
}

export interface ImagePart extends CacheBreakpoint {
  readonly type: 'image';
  readonly source: MediaSource;
  /** The resolution at which the model reads it, in the terms of OpenAI's protocols. The model's default when absent. */
  readonly detail?: string;
}

/** A PDF. */
export interface DocumentPart extends CacheBreakpoint {
  readonly type: 'document';
  readonly source: MediaSource;
  /** The caller's name for it. */
  readonly name?: string;
}

/** Speech or any other sound, in base64. */
interface AudioPart extends CacheBreakpoint {
  readonly type: 'audio';
  readonly format: AudioFormat;
  readonly data: string;
}

/** A part that a user shows a model in addition to the results of tools. */
export type ShownPart = TextPart | ImagePart | DocumentPart | AudioPart;

export interface ToolCallPart extends CacheBreakpoint {
  readonly type: 'tool-call';
  readonly id: string;
  readonly name: string;
  /** JSON text of an object, as the model wrote it; empty for a call without arguments. */
  readonly arguments: string;
}

export interface ToolResultPart extends CacheBreakpoint {
  readonly type: 'tool-result';
  /** The id of the call whose result this is. */
  readonly id: string;
  /** Parts without cache breakpoints: the breakpoint is the result's. */
  readonly content: readonly (TextPart | ImagePart)[];
  readonly isError: boolean;
}

/** A text by which a model refuses. */
interface RefusalPart extends CacheBreakpoint {
  readonly type: 'refusal';
  readonly text: string;
}

/**
 * The reasoning of a model before the parts that follow it. The signature of a tool call (Gemini's thought signature)
 * is one without text, directly before the call.
 */
export interface ReasoningPart {
  readonly type: 'reasoning';
  /** The readable text of it. Empty if the provider shows nothing. */
  readonly text: string;
  /** The provider's signature of the reasoning, sealed (`Signatures`). It is only sent to the route that created it. */
  readonly signature?: string;
}

export type UserPart = ShownPart | ToolResultPart;
export type AssistantPart = TextPart | RefusalPart | ReasoningPart | ToolCallPart;

/** Neighbours may have the same role. */
export type Turn =
  | { readonly role: 'user'; readonly parts: readonly UserPart[] }
  | { readonly role: 'assistant'; readonly parts: readonly AssistantPart[] }
  /** A system message that does not lead the conversation. */
  | { readonly role: 'system'; readonly parts: readonly TextPart[] };

export interface Tool extends CacheBreakpoint {
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of an object. */
  readonly parameters: JsonObject;
  readonly strict?: boolean;
}

/** The model decides; it must call one; it must not. */
export const TOOL_CHOICES = ['auto', 'any', 'none'] as const;

export type ToolChoice =
  | { readonly type: (typeof TOOL_CHOICES)[number] }
  | { readonly type: 'tool'; readonly name: string };

export type OutputFormat =
  | { readonly type: 'json' }
  | {
      readonly type: 'json-schema';
      readonly schema: JsonObject;
      readonly name?: string;
      readonly description?: string;
      readonly strict?: boolean;
    };

/** The effort of this name; undefined for any other name. */
export const knownEffort = (name: unknown): Effort | undefined => EFFORTS.find((effort) => effort === name);

/** A caller's request for the model's reasoning. A route that cannot express it receives no such request. */
export interface ReasoningRequest {
  readonly effort?: Effort;
  /** Tokens of reasoning at most, within `maxTokens`; the closer of the two where both are given. */
  readonly maxTokens?: number;
}

export interface Conversation {
  /** System and developer texts that lead the conversation, in order. */
  readonly system: readonly string[];
  /** Cache breakpoints, by the index of the text in `system`. */
  readonly systemCache?: ReadonlyMap<number, CacheLifetime>;
  readonly turns: readonly Turn[];
  readonly tools: readonly Tool[];
  readonly toolChoice?: ToolChoice;
  /** False: at most one tool call in the output. */
  readonly parallelToolCalls?: boolean;
  /** Plain text when absent. */
  readonly format?: OutputFormat;
  /** The model's own default when absent. */
  readonly reasoning?: ReasoningRequest;
  /** The maximum output tokens of one choice. */
  readonly maxTokens: number;
  /** 0 to 2; a protocol with a smaller range takes its own bound. */
  readonly temperature?: number;
  readonly topP?: number;
  readonly stop: readonly string[];
  /** The caller's name for its own user. */
  readonly user?: string;
  /** The name of that user by which OpenAI detects abuse, in place of `user`. */
  readonly safetyIdentifier?: string;
  /** The name by which OpenAI sends requests with the same start to the same cache. */
  readonly promptCacheKey?: string;
}

/**
 * The reason for the end of an output.
 * - `stop`: the model completed its output.
 * - `refusal`: the model or a filter refused.
 * - `pause`: the turn must be sent back unchanged.
 * - `context`: the context window is full.
 */
export type FinishReason =
  | 'stop'
  | 'stop-sequence'
  | 'length'
  | 'tool-calls'
  | 'refusal'
  | 'pause'
  | 'context';

/** OpenAI API reference, The chat completion object, `finish_reason`. */
export const CHAT_FINISH_REASONS: Readonly<Record<FinishReason, string>> = {
  stop: 'stop',
  'stop-sequence': 'stop',
  length: 'length',
  context: 'length',
  'tool-calls': 'tool_calls',
  refusal: 'content_filter',
  pause: 'stop',
};

/** Claude API docs, Handling stop reasons. */
export const MESSAGES_STOP_REASONS: Readonly<Record<FinishReason, string>> = {
  stop: 'end_turn',
  'stop-sequence': 'stop_sequence',
  length: 'max_tokens',
  'tool-calls': 'tool_use',
  refusal: 'refusal',
  pause: 'pause_turn',
  context: 'model_context_window_exceeded',
};

export interface Finish {
  readonly reason: FinishReason;
  /** The provider's own name of it. */
  readonly raw: string;
  /** The stop sequence that was met, where the provider names it. */
  readonly stopSequence?: string;
}

/** A complete response: one choice. */
export interface AssistantOutput {
  readonly parts: readonly AssistantPart[];
  readonly finish: Finish;
}

/**
 * The type of a block in a streamed response. Its text follows in deltas. For a tool call, the text is the JSON of its
 * arguments.
 */
export type ContentStart =
  | { readonly type: 'text' | 'refusal' | 'reasoning' }
  | { readonly type: 'tool-call'; readonly id: string; readonly name: string };

/**
 * One step of a streamed response: the start, a delta or the end of a block, or the finish. Blocks have consecutive
 * indexes from 0 in the order of their start.
 *
 * - A block starts once, then has its deltas, then ends once. `finish` is last and occurs once.
 * - Tool calls may be open at the same time, and their deltas may alternate. Any other block ends before the next one
 * starts.
 * - No delta is empty. Text, refusal, and reasoning without a signature have at least one delta.
 */
export type StreamPart =
  | { readonly type: 'start'; readonly index: number; readonly content: ContentStart }
  | { readonly type: 'delta'; readonly index: number; readonly text: string }
  | {
      readonly type: 'end';
      readonly index: number;
      /** The signature of a reasoning, as in `ReasoningPart`. */
      readonly signature?: string;
    }
  | ({ readonly type: 'finish' } & Finish);
