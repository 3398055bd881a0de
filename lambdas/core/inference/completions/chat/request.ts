/** The chat request: the fields that matter to routing and money, their defaults, and the parts in it. */
import type { JsonObject } from '../../../json/lossless-json.ts';
import type { AudioFormat } from '../../upstream/sources.ts';
import type { CompletionRequest } from '../api-format.ts';

/** Defaults of the interface where they differ from the protocol's own (interface, ChatCompletionRequest). */
export const DEFAULT_MAX_TOKENS = 256;
export const DEFAULT_TEMPERATURE = 0.7;

/** The fields of a validated chat request that matter here; all others are forwarded unseen. */
export interface ChatRequest extends JsonObject, CompletionRequest {
  readonly messages: readonly ChatMessage[];
  readonly stream_options?: { readonly include_usage?: boolean | null | undefined } | null | undefined;
  readonly temperature?: number | null | undefined;
  readonly top_p?: number | null | undefined;
  readonly stop?: string | readonly string[] | null | undefined;
  readonly max_tokens?: number | null | undefined;
  readonly max_completion_tokens?: number | null | undefined;
  readonly n?: number | null | undefined;
  readonly tools?: readonly ChatTool[] | null | undefined;
  readonly tool_choice?: string | { readonly function: { readonly name: string } } | null | undefined;
  readonly parallel_tool_calls?: boolean | null | undefined;
  readonly response_format?: ResponseFormat | null | undefined;
  readonly user?: string | null | undefined;
  readonly reasoning_effort?: string | null | undefined;
  readonly reasoning?: ReasoningField | null | undefined;
  readonly thinking?: ThinkingField | null | undefined;
}

/** OpenRouter's field (OpenRouter docs, Reasoning tokens). */
interface ReasoningField {
  readonly effort?: string | null | undefined;
  readonly max_tokens?: number | null | undefined;
  readonly enabled?: boolean | null | undefined;
  readonly exclude?: boolean | null | undefined;
}

/** The switch of DeepSeek, Z.ai and Moonshot (DeepSeek API docs, Thinking mode). */
interface ThinkingField {
  readonly type: string;
  readonly budget_tokens?: number | null | undefined;
}

export interface ChatMessage extends JsonObject {
  readonly role: string;
  readonly content?: string | readonly ContentPart[] | null | undefined;
  readonly refusal?: unknown;
  readonly name?: string | null | undefined;
  readonly tool_calls?: readonly ChatToolCall[] | null | undefined;
  readonly tool_call_id?: string | undefined;
  /** The text of an assistant message's reasoning, under either name. */
  readonly reasoning_content?: string | null | undefined;
  readonly reasoning?: string | null | undefined;
  readonly reasoning_details?: readonly ReasoningDetail[] | null | undefined;
}

/** One piece of reasoning (OpenRouter docs, Reasoning tokens, `reasoning_details`). */
export interface ReasoningDetail extends JsonObject {
  readonly type: string;
  readonly text?: string | null | undefined;
  readonly summary?: string | null | undefined;
  readonly signature?: string | null | undefined;
  readonly data?: string | null | undefined;
  /** The tool call that it stands before. */
  readonly id?: string | null | undefined;
}

/** A text, a refusal, an image, a PDF or audio: whichever field is there. */
export interface ContentPart {
  readonly type: string;
  readonly text?: string | undefined;
  readonly refusal?: string | undefined;
  readonly image_url?: { readonly url: string } | undefined;
  readonly file?: { readonly file_data: string; readonly filename?: string | null | undefined } | undefined;
  readonly input_audio?: { readonly data: string; readonly format: AudioFormat } | undefined;
  readonly cache_control?: unknown;
}

export interface ChatToolCall {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
  readonly extra_content?: unknown;
}

interface ChatTool {
  readonly cache_control?: unknown;
  readonly function: {
    readonly cache_control?: unknown;
    readonly name: string;
    readonly description?: string | null | undefined;
    readonly parameters?: JsonObject | null | undefined;
    readonly strict?: boolean | null | undefined;
  };
}

interface ResponseFormat {
  readonly type: string;
  readonly json_schema?:
    | {
        readonly name?: string | undefined;
        readonly description?: unknown;
        readonly schema?: JsonObject | null | undefined;
        readonly strict?: boolean | null | undefined;
      }
    | undefined;
}

export const maxTokensOf = (request: ChatRequest): number =>
  request.max_completion_tokens ?? request.max_tokens ?? DEFAULT_MAX_TOKENS;

export const choicesOf = (request: ChatRequest): number => request.n ?? 1;

/** All parts of all messages; a content that is a string has none. */
export const partsOf = ({ messages }: ChatRequest): readonly ContentPart[] =>
  messages.flatMap(({ content }) => (typeof content === 'string' ? [] : (content ?? [])));

/** Gemini's proof of a tool call, where its own protocol carries it (Gemini API docs, OpenAI compatibility, Thought signatures). */
export function thoughtSignatureOf({ extra_content: extra }: ChatToolCall): string | undefined {
  const { google } = Object(extra) as { readonly google?: unknown };
  const { thought_signature: signature } = Object(google) as { readonly thought_signature?: unknown };
  return typeof signature === 'string' ? signature : undefined;
}
