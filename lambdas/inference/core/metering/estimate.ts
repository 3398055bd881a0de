/**
 * The tokens of a prompt before its route has counted them, as three numbers: a lower bound, a probable number and an
 * upper bound. What is held is the upper bound, and what a provider may add to it.
 */
import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { Model } from '../catalog/catalog-document.ts';
import type { Dialect } from '../catalog/dialect.ts';
import type { BillableItems } from '../pricing/billable-items.ts';
import { type PromptSize, TOKENS_PER_OBJECT } from './prompt-size.ts';
import { boundTokens, tokenLowerBound } from './token-bound.ts';

/**
 * The maximum tokens of an image if the catalog does not specify them: the maximum of the newest Claude models (Claude
 * API docs, Vision). Vendors scale images to a fixed maximum. The catalog specifies the maximum of a model with a
 * larger one.
 */
const TOKENS_PER_IMAGE = 4_784;

/** The probable tokens of an image (Claude API docs, Vision: about 1,600 for most models). */
const USUAL_TOKENS_PER_IMAGE = 1_600;

/**
 * The probable tokens of an unseen file, and of the results of server tools: a dozen pages (Claude API docs, PDF
 * support: up to 3,000 a page).
 */
const USUAL_TOKENS_PER_FILE = 36_000;

/** The context window of a model whose catalog entry names none: the largest that is common. */
export const LARGEST_WINDOW = 1_000_000;

/**
 * Tokens that a server adds before a prompt if the catalog does not specify them: the system text of its chat template.
 * The longest known one is that of gpt-oss, with some 70 tokens (OpenAI cookbook, "OpenAI harmony response format").
 */
const HIDDEN_TOKENS = 128;

/**
 * Three tokens and the role for a message, and three that start the reply (OpenAI cookbook, "How to count tokens with
 * tiktoken").
 */
const TOKENS_PER_MESSAGE = 4;
const RESPONSE_START_TOKENS = 3;

/** Each four bytes of UTF-8 are probably one token, as in English text (OpenAI help center, "What are tokens"). */
const BYTES_PER_TOKEN = 4;

type Limits = Pick<Model, 'context_window' | 'token_factor' | 'hidden_tokens' | 'max_image_tokens'>;

/** The tokens of a prompt by model. Its texts are measured once. */
export class PromptTokens {
  /** No tokenizer counts fewer: a prompt is only too long for a model if this exceeds its context window. */
  readonly lower: number;
  readonly #size: PromptSize;
  readonly #textBound: number;

  constructor(size: PromptSize) {
    this.lower = tokenLowerBound(size.strings);
    this.#size = size;
    this.#textBound = boundTextTokens(size.strings);
  }

  probable(model: Limits): number {
    return probableTokens(this.#size, model);
  }

  /**
   * The bound of the texts, with the usual tokens of all other content. A call is billed for them if its route reports
   * no usage.
   */
  upper(model: Limits): number {
    const results = this.#size.providerTools ? USUAL_TOKENS_PER_FILE : 0;
    return this.#textBound + usualTokens(this.#size, model) + results;
  }

  /**
   * The most tokens that a call is held and billed for. They include what a provider may add to a prompt. Content that
   * cannot be read counts as the model's context window. So do the results of server tools, unless the billable items
   * of the call specify their tokens.
   */
  held(model: Limits, { tokensByUses }: Partial<Pick<BillableItems, 'tokensByUses'>> = {}): number {
    const { objects, toolTokens, images, unseen, providerTools } = this.#size;
    const { context_window: window = Number.POSITIVE_INFINITY, token_factor: factor = 1 } = model;
    const { hidden_tokens: hidden = HIDDEN_TOKENS } = model;
    const around = objects * TOKENS_PER_OBJECT + toolTokens + hidden;
    const read = Math.ceil(this.#textBound * factor) + around + images * imageTokens(model);
    const isUnread = unseen > 0 || (providerTools && tokensByUses === undefined);
    return Math.min(isUnread ? Math.max(read, model.context_window ?? LARGEST_WINDOW) : read, window);
  }
}

/**
 * Returns the probable number of tokens of a prompt: the response to a caller who requests their count, and what a call
 * counts against its key's tokens a minute until its route has reported.
 */
export const probableTokens = (size: PromptSize, model: Limits): number =>
  Math.ceil(sum(size.strings, Buffer.byteLength) / BYTES_PER_TOKEN) + usualTokens(size, model);

/** Returns the usual tokens of a prompt in addition to those of its texts. */
const usualTokens = ({ messages, images, unseen, definitionTokens }: PromptSize, model: Limits): number =>
  definitionTokens +
  messages * TOKENS_PER_MESSAGE +
  RESPONSE_START_TOKENS +
  images * Math.min(USUAL_TOKENS_PER_IMAGE, imageTokens(model)) +
  unseen * USUAL_TOKENS_PER_FILE;

const imageTokens = ({ max_image_tokens: tokens = TOKENS_PER_IMAGE }: Limits): number => tokens;

/** A message between two others, its text, and the tags around a reminder. */
const OBJECTS_PER_MESSAGE = 3;

/**
 * Returns the tokens that a dialect adds at most. Schemas count once more: types, alternatives that are null, and names
 * of properties that become required.
 * @param messages of the whole prompt
 */
export function dialectTokens(dialect: Dialect | undefined, body: JsonObject, messages: number): number {
  if (dialect === undefined) return 0;
  const { schemas, all_properties_required: allRequired } = dialect;
  const { empty_assistant: filled, assistant_after_tools: parted, system_messages: placed } = dialect;
  const adds = filled === false || parted === true || placed === 'first';
  const ofMessages = adds ? (messages + 1) * OBJECTS_PER_MESSAGE * TOKENS_PER_OBJECT : 0;
  if (schemas === undefined && allRequired === undefined) return ofMessages;
  const { tools, response_format, output_config, text } = body;
  return ofMessages + boundTextTokens([JSON.stringify([tools, response_format, output_config, text])]);
}

/** The rest of a request that is no conversation, as JSON: every field but those named and those left out. */
export const stringifyOtherFields = (named: ReadonlySet<string>, fields: JsonObject): readonly string[] =>
  Object.entries(fields)
    .filter(([field, value]) => !named.has(field) && value !== null && value !== undefined)
    .map(([field, value]) => JSON.stringify({ [field]: value }));

/** Returns the upper bound of the tokens of texts that are not a conversation. */
export const boundTextTokens = (strings: readonly string[]): number => sum(strings, boundTokens);

const sum = (strings: readonly string[], tokensOf: (text: string) => number): number =>
  strings.reduce((total, text) => total + tokensOf(text), 0);

/**
 * The number of characters that are buffered before counting. Separate counts would count at least one token for each
 * delta. Most responses are shorter, and most routes report their tokens, so that nothing is counted.
 */
const CHUNK_CHARACTERS = 32_768;

/** Bounds the tokens of a response as it is delivered, in constant memory. */
export class OutputCounter {
  #pending = '';
  #counted = 0;

  add(text: string): void {
    this.#pending += text;
    if (this.#pending.length >= CHUNK_CHARACTERS) {
      this.#counted += boundTokens(this.#pending);
      this.#pending = '';
    }
  }

  get tokens(): number {
    return this.#counted + boundTokens(this.#pending);
  }
}
