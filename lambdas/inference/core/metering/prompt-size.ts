/**
 * The prompt of a request: everything in the body that a route receives. Content counts unless it is known to be
 * harmless, so that the hold also covers unforeseen fields.
 */

import { isJsonObject, type JsonObject } from '../../../platform/core/json/lossless-json.ts';
import { type ImageField, imageBytesOf, isBase64, isFileBytes } from '../upstream/sources.ts';
import {
  definitionTokens,
  isServerTool,
  isSetting,
  PARTS_OF_ITEMS,
  READ_AS_IT_IS,
  ROLES,
  VISIBLE_ITEMS,
  VISIBLE_PARTS,
} from './prompt-fields.ts';

export interface PromptSize {
  /** All texts: those that the model reads unchanged, and the rest of the request as JSON. */
  readonly strings: readonly string[];
  readonly images: number;
  /** The number of files and other inputs that a route reads but the service cannot. */
  readonly unseen: number;
  /** The usual tokens of the tools that the provider defines. */
  readonly definitionTokens: number;
  /** True if the request has server tools, whose results the provider adds to the prompt. */
  readonly providerTools: boolean;
  readonly messages: number;
  /** Messages, content parts, calls and results, each with at most `TOKENS_PER_OBJECT` around its texts. */
  readonly objects: number;
  /** Tokens, at most, that a provider adds where tools are offered. */
  readonly toolTokens: number;
}

/**
 * The most tokens of what stands around the texts of an object of the request: the role and the edges of a message
 * (OpenAI cookbook, "How to count tokens with tiktoken": 3 each), the type of a part, and what the change to another
 * protocol writes around it. What needs more counts as several objects.
 */
export const TOKENS_PER_OBJECT = 16;

/** The objects of a request: an opening turn, and the text that requests JSON from a route of another protocol. */
const OBJECTS_PER_REQUEST = 4;

/** The declaration of a function that stands for a custom tool on a route of another protocol, but for its own texts. */
const OBJECTS_PER_CUSTOM_TOOL = 4;

/** The longest system prompt that a vendor adds where tools are offered (Claude API docs, Tool use, Pricing: 804). */
const TOKENS_FOR_TOOLS = 804;

/**
 * The definition that a provider writes of a tool that it has defined (Claude API docs: 1,201 for computer use with its
 * system prompt, 700 for the text editor, 245 for bash).
 */
const TOKENS_FOR_DEFINED_TOOL = 1_500;

/** The size of a request in the chat, the Messages or the Responses format, in one walk over all of it. */
export function promptSizeOf(body: JsonObject): PromptSize {
  const walk = new Walk();
  for (const [field, value] of Object.entries(body)) {
    if (isSetting(field, value)) continue;
    if (field === 'messages' && Array.isArray(value)) for (const message of value) walk.message(message);
    else if (field === 'input') walk.input(value);
    else if (field === 'system' || field === 'instructions') walk.system(value);
    else if (field === 'tools') walk.addTools(value);
    else walk.field(field, value);
  }
  return walk;
}

class Walk implements PromptSize {
  readonly strings: string[] = [];
  images = 0;
  unseen = 0;
  definitionTokens = 0;
  providerTools = false;
  messages = 0;
  objects = OBJECTS_PER_REQUEST;
  toolTokens = 0;

  message(message: unknown): void {
    this.#countMessage();
    const { role, content } = objectOf(message);
    // A route may take each of its texts as a reminder in a user's message.
    if (role === 'system' || role === 'developer')
      this.objects += Array.isArray(content) ? content.length : 1;
    for (const [field, value] of Object.entries(objectOf(message))) {
      if (field === 'role' && ROLES.has(value)) continue;
      if (field === 'content') this.#content(value);
      else this.field(field, value);
      if (field === 'tool_call_id') this.objects += 1;
      if (field === 'tool_calls' && Array.isArray(value))
        for (const call of value) this.#call(objectOf(call));
    }
  }

  /** The text or the items of the Responses format. */
  input(value: unknown): void {
    if (!Array.isArray(value)) this.system(value);
    else for (const item of value) this.#item(item);
  }

  #item(item: unknown): void {
    const { type } = objectOf(item);
    if (type === undefined || type === null || type === 'message') {
      const { type: _type, ...message } = objectOf(item);
      this.message(message);
      return;
    }
    this.#countMessage();
    if (!VISIBLE_ITEMS.has(type)) {
      this.unseen += 1;
      this.#json(item);
      return;
    }
    this.#call(objectOf(item));
    // Its name may get letters on a route of another protocol.
    this.objects += 1;
    for (const [field, value] of Object.entries(objectOf(item))) {
      if (field === 'type') continue;
      if (PARTS_OF_ITEMS.has(field)) this.#content(value);
      else this.field(field, value);
    }
  }

  system(value: unknown): void {
    if (value === null || value === undefined) return;
    this.#countMessage();
    this.#content(value);
  }

  addTools(tools: unknown): void {
    if (!Array.isArray(tools) || tools.length === 0) return;
    this.toolTokens += TOKENS_FOR_TOOLS;
    this.#json(tools);
    for (const tool of tools) {
      const type = isJsonObject(tool) ? tool.type : 'unknown';
      const tokens = definitionTokens(type);
      this.#custom(objectOf(tool));
      this.definitionTokens += tokens;
      if (tokens > 0) this.toolTokens += TOKENS_FOR_DEFINED_TOOL;
      if (isServerTool(type)) this.providerTools = true;
    }
  }

  /**
   * Counts the additions to a tool of the Responses format that is sent as a function: a separate declaration and a
   * joined name.
   */
  #custom({ type, name, tools }: JsonObject): void {
    if (type === 'custom') this.objects += OBJECTS_PER_CUSTOM_TOOL;
    if (type !== 'namespace' || !Array.isArray(tools)) return;
    for (const tool of tools) {
      this.objects += 1;
      this.#json(name);
      this.#custom(objectOf(tool));
    }
  }

  /**
   * Counts the additions to a call or a result on a route of another protocol. A result may repeat the name of its
   * call.
   */
  #call({ function: called, custom, ...fields }: JsonObject): void {
    this.objects += 1;
    for (const { name, namespace } of [fields, objectOf(called), objectOf(custom)])
      for (const text of [name, namespace]) if (typeof text === 'string') this.strings.push(text);
  }

  /** Adds a field that has no dedicated rule: its name and all its content. */
  field(name: string, value: unknown): void {
    if (value !== null && value !== undefined) this.#json({ [name]: value });
  }

  #countMessage(): void {
    this.messages += 1;
    this.objects += 1;
  }

  #content(content: unknown): void {
    if (typeof content === 'string') this.strings.push(content);
    else if (Array.isArray(content)) for (const part of content) this.#part(part);
    else if (content !== null && content !== undefined) this.#json(content);
  }

  #part(part: unknown): void {
    this.objects += 1;
    const { type, ...fields } = objectOf(part);
    if (type === 'document') this.#document(fields);
    else if (type === 'input_file') this.#file('file_data', fields);
    else if (type === 'file') this.#inner('file', fields, 'file_data');
    else if (type === 'input_audio') this.#inner('input_audio', fields, 'data');
    else if (VISIBLE_PARTS.has(type)) this.#visiblePart(type, fields);
    else {
      this.unseen += 1;
      this.#json(part);
    }
  }

  #visiblePart(type: unknown, fields: JsonObject): void {
    if (type === 'tool_use' || type === 'tool_result') this.#call(fields);
    for (const [field, value] of Object.entries(fields)) this.#partField({ type, fields }, field, value);
  }

  #partField({ type, fields }: VisiblePart, field: string, value: unknown): void {
    if (type === 'image_url' && field === 'image_url') this.#picture(value, 'url');
    else if (type === 'input_image' && field === 'image_url')
      this.#picture({ url: value, detail: fields.detail }, 'url');
    else if (type === 'image' && field === 'source') this.#picture(value, 'data');
    else if (type === 'tool_result' && field === 'content') this.#content(value);
    else if (typeof value === 'string' && READ_AS_IT_IS.has(field)) this.strings.push(value);
    else this.field(field, value);
  }

  /**
   * Adds an image whose bytes, if they are sent, are in the field `at`. All other content of its part counts as text.
   */
  #picture(source: unknown, at: ImageField): void {
    const { [at]: data, ...rest } = objectOf(source);
    const bytes = typeof data === 'string' ? imageBytesOf(data, at) : undefined;
    this.images += 1;
    this.#json(bytes === undefined ? source : rest);
  }

  #document({ source, ...fields }: JsonObject): void {
    for (const [field, value] of Object.entries(fields)) this.field(field, value);
    const { type, data, content, ...rest } = objectOf(source);
    if (type === 'text' && typeof data === 'string') this.strings.push(data);
    else if (type === 'content') this.#content(content);
    else this.unseen += 1;
    const isFile = type === 'base64' && typeof data === 'string' && isBase64(data);
    this.#json(isFile || type === 'text' || type === 'content' ? rest : source);
  }

  /** A file or audio, whose bytes in the field `at` are not read as text. */
  #file(at: 'file_data' | 'data', { [at]: data, ...fields }: JsonObject): void {
    this.unseen += 1;
    this.#json(typeof data === 'string' && isFileBytes(data) ? fields : { ...fields, data });
  }

  /** The same of the chat format, where it is one field of its part. */
  #inner(name: string, { [name]: file, ...fields }: JsonObject, at: 'file_data' | 'data'): void {
    this.#file(at, objectOf(file));
    this.#json(fields);
  }

  #json(value: unknown): void {
    if (isJsonObject(value) && Object.keys(value).length === 0) return;
    this.strings.push(JSON.stringify(value) ?? '');
  }
}

/** A part by its type, and its other fields. */
interface VisiblePart {
  readonly type: unknown;
  readonly fields: JsonObject;
}

/** The object itself; any other value as the field of one. */
const objectOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : { value });
