/** What a chat request means for routing and for money: the payload to forward, what it needs, and how large it is. */
import type { Capability } from './catalog-document.ts';
import type { PromptSize } from './estimate.ts';
import type { ChatPayload, JsonObject } from './provider.ts';
import { NO_CONTROLS, type RouteControls } from './route-choice.ts';

/** Defaults of the interface where they differ from the protocol's own (interface, ChatCompletionRequest). */
export const DEFAULT_MAX_TOKENS = 256;
const DEFAULT_TEMPERATURE = 0.7;

/** The fields of a validated chat request that matter here; all others are forwarded unseen. */
export interface ChatRequest extends JsonObject {
  readonly messages: readonly ChatMessage[];
  readonly stream?: boolean | null | undefined;
  readonly stream_options?: { readonly include_usage?: boolean | null | undefined } | null | undefined;
  readonly temperature?: number | null | undefined;
  readonly max_tokens?: number | null | undefined;
  readonly max_completion_tokens?: number | null | undefined;
  readonly n?: number | null | undefined;
  readonly tools?: readonly JsonObject[] | null | undefined;
  readonly tool_choice?: unknown;
  readonly response_format?: { readonly type: string; readonly [field: string]: unknown } | null | undefined;
  readonly models?: readonly string[] | null | undefined;
  readonly provider?:
    | {
        readonly order: readonly string[];
        readonly only: readonly string[];
        readonly ignore: readonly string[];
        readonly allow_fallbacks: boolean;
      }
    | null
    | undefined;
}

interface ChatMessage extends JsonObject {
  readonly role: string;
  readonly content?: unknown;
  readonly name?: string | null | undefined;
  readonly tool_calls?: readonly JsonObject[] | null | undefined;
}

export const maxTokensOf = (request: ChatRequest): number =>
  request.max_completion_tokens ?? request.max_tokens ?? DEFAULT_MAX_TOKENS;

export const choicesOf = (request: ChatRequest): number => request.n ?? 1;

/** The request with defaults filled in, without nulls and without what is the service's own business. */
export function toPayload(request: ChatRequest): ChatPayload {
  const { models: _models, provider: _provider, ...fields } = request;
  const body: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields))
    if (value !== null && value !== undefined) body[name] = value;
  body.messages = request.messages.map(asSystem);
  body.temperature ??= DEFAULT_TEMPERATURE;
  // Two names of one thing: servers refuse a request that uses both.
  if (body.max_completion_tokens === undefined) body.max_tokens ??= DEFAULT_MAX_TOKENS;
  else delete body.max_tokens;
  return { surface: 'openai', body, stream: request.stream === true, needs: needsOf(request) };
}

/** `developer` is OpenAI's newer name of `system`; compatible servers may know only the older one. */
const asSystem = (message: ChatMessage): ChatMessage =>
  message.role === 'developer' ? { ...message, role: 'system' } : message;

function needsOf(request: ChatRequest): Capability[] {
  const needs: Capability[] = [];
  const hasToolTurns = request.messages.some(
    ({ role, tool_calls: calls }) => role === 'tool' || calls != null,
  );
  if (request.tools != null || request.tool_choice != null || hasToolTurns) needs.push('tools');
  if (request.response_format != null && request.response_format.type !== 'text') needs.push('json');
  if (request.messages.some(({ content }) => Array.isArray(content) && content.some(isImage)))
    needs.push('vision');
  if (request.stream === true) needs.push('stream');
  return needs;
}

const isImage = (part: { type?: unknown }): boolean => part.type === 'image_url';

export function controlsOf({ provider }: ChatRequest): RouteControls {
  if (provider == null) return NO_CONTROLS;
  const { order, only, ignore, allow_fallbacks: allowFallbacks } = provider;
  return { order, only, ignore, allowFallbacks };
}

/** Everything of the request that an upstream counts as prompt: text, tool calls, tools, schemas, images. */
export function promptSize(request: ChatRequest): PromptSize {
  const texts: string[] = [];
  let images = 0;
  for (const { content, name, tool_calls: calls } of request.messages) {
    if (typeof content === 'string') texts.push(content);
    if (Array.isArray(content)) {
      for (const part of content as readonly { text?: string; refusal?: string; type?: string }[]) {
        if (part.type === 'image_url') images += 1;
        else texts.push(part.text ?? part.refusal ?? '');
      }
    }
    if (name != null) texts.push(name);
    if (calls != null) texts.push(JSON.stringify(calls));
  }
  if (request.tools != null) texts.push(JSON.stringify(request.tools));
  if (request.response_format != null) texts.push(JSON.stringify(request.response_format));
  return { texts, images, messages: request.messages.length };
}
