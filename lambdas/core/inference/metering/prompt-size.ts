/**
 * How much of a request counts as prompt: everything in the body that leaves for a route. Whatever is not known to be
 * harmless is counted, so that a field which nobody thought of is inside the hold all the same.
 */

import type { JsonObject } from '../../json/lossless-json.ts';
import { isJsonObject } from '../../json/lossless-json.ts';
import { isBase64 } from '../upstream/base64.ts';
import { imageSizeOf } from './image-size.ts';
import type { PromptImage } from './image-tokens.ts';

export interface PromptSize {
  /** Every text: what the model reads as it is, and the rest of the request as JSON. */
  readonly texts: readonly string[];
  readonly images: readonly PromptImage[];
  /** Files, and whatever else a route reads that cannot be seen here. */
  readonly unseen: number;
  /** Tools that the provider runs: it adds to the prompt what they find. */
  readonly providerTools: boolean;
  readonly messages: number;
  /** Tokens, at most, of what stands around the texts: edges of messages and parts, and what routes add to them. */
  readonly envelope: number;
}

/** Role, separators and the reply's primer (OpenAI cookbook, "How to count tokens with tiktoken": 3 + 3). */
export const TOKENS_PER_MESSAGE = 6;

/** The type and the edges of a part, or what a route of another protocol has around it. */
const TOKENS_PER_PART = 8;

/** The declaration that a call's tool may need on a route of another protocol, and the text before a result's images. */
const TOKENS_PER_CALL = 24;

/** The longest system prompt that a vendor adds where tools are offered (Claude API docs, Tool use, Pricing: 804). */
const TOKENS_FOR_TOOLS = 804;

/**
 * The definition that a provider writes of a tool that it has defined (Claude API docs: 1,201 for computer use with its
 * system prompt, 700 for the text editor, 245 for bash).
 */
const TOKENS_FOR_DEFINED_TOOL = 1_500;

/** The text by which a route of another protocol is asked for JSON. */
const TOKENS_FOR_JSON = 64;

/**
 * Fields of a chat or Messages request that say nothing to a model as long as they are a number or a boolean. The
 * model's name is the route's own.
 */
const SETTINGS: ReadonlySet<string> = new Set([
  ...['model', 'stream', 'temperature', 'top_p', 'top_k', 'max_tokens', 'max_completion_tokens', 'n', 'seed'],
  ...['presence_penalty', 'frequency_penalty', 'logprobs', 'top_logprobs', 'parallel_tool_calls'],
]);

const isSetting = (field: string, value: unknown): boolean =>
  SETTINGS.has(field) && (field === 'model' || typeof value === 'number' || typeof value === 'boolean');

/** Roles of messages, and the types of parts whose other fields are all in sight: text, images, thoughts, calls. */
const ROLES: ReadonlySet<unknown> = new Set(['system', 'developer', 'user', 'assistant', 'tool']);
const SEEN_PARTS: ReadonlySet<unknown> = new Set([
  ...['text', 'refusal', 'image_url', 'image', 'thinking', 'redacted_thinking'],
  ...['tool_use', 'tool_result', 'search_result'],
]);

/** The size of a request in the chat or the Messages format, in one walk over all of it. */
export function promptSizeOf(body: JsonObject): PromptSize {
  const walk = new Walk();
  for (const [field, value] of Object.entries(body)) {
    if (isSetting(field, value)) continue;
    if (field === 'messages' && Array.isArray(value)) for (const message of value) walk.message(message);
    else if (field === 'system') walk.system(value);
    else if (field === 'tools') walk.offer(value);
    else walk.field(field, value);
    if (field === 'response_format' || field === 'output_config') walk.envelope += TOKENS_FOR_JSON;
  }
  return walk;
}

class Walk implements PromptSize {
  readonly texts: string[] = [];
  readonly images: PromptImage[] = [];
  unseen = 0;
  providerTools = false;
  messages = 0;
  envelope = TOKENS_PER_MESSAGE;

  message(message: unknown): void {
    this.#begin();
    for (const [field, value] of Object.entries(objectOf(message))) {
      if (field === 'role' && ROLES.has(value)) continue;
      if (field === 'content') this.#content(value);
      else this.field(field, value);
      if (field === 'tool_call_id') this.envelope += TOKENS_PER_CALL;
      if (field === 'tool_calls' && Array.isArray(value)) this.envelope += value.length * TOKENS_PER_CALL;
    }
  }

  system(value: unknown): void {
    if (value === null || value === undefined) return;
    this.#begin();
    this.#content(value);
  }

  offer(tools: unknown): void {
    if (!Array.isArray(tools) || tools.length === 0) return;
    this.envelope += TOKENS_FOR_TOOLS;
    this.#json(tools);
    const isOwn = (tool: unknown) =>
      isJsonObject(tool) && (tool.type == null || tool.type === 'custom' || tool.type === 'function');
    const defined = tools.filter((tool) => !isOwn(tool)).length;
    this.providerTools = defined > 0;
    this.envelope += defined * TOKENS_FOR_DEFINED_TOOL;
  }

  /** A field that has no rule of its own: its name and all that it holds. */
  field(name: string, value: unknown): void {
    if (value !== null && value !== undefined) this.#json({ [name]: value });
  }

  #begin(): void {
    this.messages += 1;
    this.envelope += TOKENS_PER_MESSAGE;
  }

  #content(content: unknown): void {
    if (typeof content === 'string') this.texts.push(content);
    else if (Array.isArray(content)) for (const part of content) this.#part(part);
    else if (content !== null && content !== undefined) this.#json(content);
  }

  #part(part: unknown): void {
    this.envelope += TOKENS_PER_PART;
    const { type, ...fields } = objectOf(part);
    if (type === 'document') this.#document(fields);
    else if (SEEN_PARTS.has(type)) this.#seen(type, fields);
    else {
      this.unseen += 1;
      this.#json(part);
    }
  }

  #seen(type: unknown, fields: JsonObject): void {
    if (type === 'tool_use' || type === 'tool_result') this.envelope += TOKENS_PER_CALL;
    for (const [field, value] of Object.entries(fields)) this.#partField(type, field, value);
  }

  #partField(type: unknown, field: string, value: unknown): void {
    if (type === 'image_url' && field === 'image_url') this.#picture(value, 'url');
    else if (type === 'image' && field === 'source') this.#picture(value, 'data');
    else if (type === 'tool_result' && field === 'content') this.#content(value);
    else if (typeof value === 'string' && READ_AS_IT_IS.has(field)) this.texts.push(value);
    else this.field(field, value);
  }

  /** An image whose bytes, where they are sent, are in the field `at`; what else its part says is text. */
  #picture(source: unknown, at: 'url' | 'data'): void {
    const { [at]: sent, ...rest } = objectOf(source);
    const bytes = typeof sent === 'string' ? bytesOf(sent, at) : undefined;
    const { detail } = rest;
    this.images.push({
      size: bytes === undefined ? undefined : imageSizeOf(bytes),
      detail: typeof detail === 'string' ? detail : undefined,
    });
    this.#json(bytes === undefined ? source : rest);
  }

  #document({ source, ...fields }: JsonObject): void {
    for (const [field, value] of Object.entries(fields)) this.field(field, value);
    const { type, data, content, ...rest } = objectOf(source);
    if (type === 'text' && typeof data === 'string') this.texts.push(data);
    else if (type === 'content') this.#content(content);
    else this.unseen += 1;
    const isFile = type === 'base64' && typeof data === 'string' && isBase64(data);
    this.#json(isFile || type === 'text' || type === 'content' ? rest : source);
  }

  #json(value: unknown): void {
    if (isJsonObject(value) && Object.keys(value).length === 0) return;
    this.texts.push(JSON.stringify(value) ?? '');
  }
}

/** The object itself; any other value as the field of one. */
const objectOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : { value });

/** Fields of parts whose text the model reads as it is. */
const READ_AS_IT_IS: ReadonlySet<string> = new Set(['text', 'refusal', 'thinking']);

/** RFC 2397. */
const IMAGE_URL = /^data:image\/[a-z0-9.+-]{1,64};base64,/i;

/** The bytes of an image as they are sent, in base64: within a URL, or as they are; no text that somebody has put there. */
function bytesOf(text: string, at: 'url' | 'data'): string | undefined {
  const opening = at === 'url' ? IMAGE_URL.exec(text)?.[0] : '';
  const bytes = opening === undefined ? '' : text.slice(opening.length);
  return isBase64(bytes) ? bytes : undefined;
}

/** The rest of a request that is no conversation, as JSON: every field but those named and those left out. */
export const textsBeside = (named: ReadonlySet<string>, fields: JsonObject): readonly string[] =>
  Object.entries(fields)
    .filter(([field, value]) => !named.has(field) && value !== null && value !== undefined)
    .map(([field, value]) => JSON.stringify({ [field]: value }));
