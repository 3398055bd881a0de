/**
 * A chat call and its answer in terms of no protocol: what a surface is read into, what a route of another protocol
 * is written from, and what it answers with. It holds what the chat and the Messages protocols can both say.
 */
import type { JsonObject } from '../../json/lossless-json.ts';

export interface TextPart {
  readonly type: 'text';
  readonly text: string;
}

export interface ImagePart {
  readonly type: 'image';
  readonly source:
    | { readonly kind: 'base64'; readonly mediaType: string; readonly data: string }
    | { readonly kind: 'url'; readonly url: string };
}

export interface ToolCallPart {
  readonly type: 'tool-call';
  readonly id: string;
  readonly name: string;
  /** JSON text of an object, as the model wrote it; empty for a call without arguments. */
  readonly arguments: string;
}

export interface ToolResultPart {
  readonly type: 'tool-result';
  /** The id of the call that it answers. */
  readonly id: string;
  readonly content: readonly (TextPart | ImagePart)[];
  readonly isError: boolean;
}

/** A model's text that declines to answer. */
export interface RefusalPart {
  readonly type: 'refusal';
  readonly text: string;
}

export type UserPart = TextPart | ImagePart | ToolResultPart;
export type AssistantPart = TextPart | RefusalPart | ToolCallPart;

/** Neighbours may have the same role. */
export type Turn =
  | { readonly role: 'user'; readonly parts: readonly UserPart[] }
  | { readonly role: 'assistant'; readonly parts: readonly AssistantPart[] };

export interface Tool {
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

export type AnswerFormat =
  | { readonly type: 'json' }
  | {
      readonly type: 'json-schema';
      readonly schema: JsonObject;
      readonly name?: string;
      readonly description?: string;
      readonly strict?: boolean;
    };

export interface Conversation {
  /** System and developer texts, in order. */
  readonly system: readonly string[];
  readonly turns: readonly Turn[];
  readonly tools: readonly Tool[];
  readonly toolChoice?: ToolChoice;
  /** False: at most one tool call in the answer. */
  readonly parallelToolCalls?: boolean;
  /** Plain text when absent. */
  readonly format?: AnswerFormat;
  /** Of one choice. */
  readonly maxTokens: number;
  /** 0 to 2; a protocol with a smaller range takes its own bound. */
  readonly temperature?: number;
  readonly topP?: number;
  readonly stop: readonly string[];
  /** The caller's name for its own user. */
  readonly user?: string;
}

/**
 * Why an answer ended. `stop`: the model was done. `refusal`: it, or a filter, declined. `pause`: the turn is to be
 * sent back as it is. `context`: the context window is full.
 */
export type FinishReason =
  | 'stop'
  | 'stop-sequence'
  | 'length'
  | 'tool-calls'
  | 'refusal'
  | 'pause'
  | 'context';

export interface Finish {
  readonly reason: FinishReason;
  /** The provider's own name of it. */
  readonly raw: string;
  /** The stop sequence that was met, where the provider names it. */
  readonly stopSequence?: string;
}

/** A whole answer: one choice. */
export interface AssistantReply {
  readonly parts: readonly AssistantPart[];
  readonly finish: Finish;
}

/**
 * An answer in the making. Tool calls are numbered from 0 in the order of their start, and their arguments may come
 * in turns. A text that follows an `-end` is a new part; a `finish` ends whatever is open and comes once, last.
 */
export type StreamPart =
  | { readonly type: 'text-delta' | 'refusal-delta'; readonly text: string }
  | { readonly type: 'text-end' }
  | { readonly type: 'tool-call-start'; readonly index: number; readonly id: string; readonly name: string }
  | { readonly type: 'tool-call-delta'; readonly index: number; readonly arguments: string }
  | { readonly type: 'tool-call-end'; readonly index: number }
  | ({ readonly type: 'finish' } & Finish);
