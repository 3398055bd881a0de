/** The chat request: its types, which are those of its schema, and its defaults. */
import type * as z from 'zod';
import { DEFAULT_MAX_TOKENS } from '../../core/completions/output-default.ts';
import type { chatCompletionRequest } from './schema.ts';

/** A default of the interface that differs from the protocol's own (interface, ChatCompletionRequest). */
export const DEFAULT_TEMPERATURE = 0.7;

export type ChatRequest = z.infer<typeof chatCompletionRequest>;

export type ChatMessage = ChatRequest['messages'][number];

export type AssistantMessage = Extract<ChatMessage, { readonly role: 'assistant' }>;

/** A text, a refusal, an image, a PDF or audio, by its `type`. */
export type ContentPart = Exclude<ChatMessage['content'], string | null | undefined>[number];

export type ChatToolCall = NonNullable<AssistantMessage['tool_calls']>[number];

export const maxTokensOf = (request: ChatRequest): number =>
  request.max_completion_tokens ?? request.max_tokens ?? DEFAULT_MAX_TOKENS;

export const choicesOf = (request: ChatRequest): number => request.n ?? 1;

/**
 * Returns Gemini's signature of a tool call, as its own protocol contains it (Gemini API docs, OpenAI compatibility,
 * Thought signatures).
 */
export function thoughtSignatureOf({ extra_content: extra }: ChatToolCall): string | undefined {
  const { google } = Object(extra) as { readonly google?: unknown };
  const { thought_signature: signature } = Object(google) as { readonly thought_signature?: unknown };
  return typeof signature === 'string' ? signature : undefined;
}
