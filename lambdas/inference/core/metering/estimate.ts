/**
 * Estimates of tokens before a route has counted them:
 * - A bound of a prompt, for the hold, and for the charge if the route never reports usage.
 * - A realistic count for callers that request the token count of a prompt.
 */
import { estimateTokenCount } from 'tokenx';
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

/** The probable tokens of an unseen file: a dozen pages (Claude API docs, PDF support: up to 3,000 a page). */
const USUAL_TOKENS_PER_FILE = 36_000;

/** The context window of a model whose catalog entry names none: the largest that is common. */
export const LARGEST_WINDOW = 1_000_000;

/**
 * Tokens that a server adds before a prompt if the catalog does not specify them: the system text of its chat template.
 * The longest known one is that of gpt-oss, with some 70 tokens (OpenAI cookbook, "OpenAI harmony response format").
 */
const HIDDEN_TOKENS = 128;

/** The bounds on the tokens of a prompt. */
export interface PromptBound {
  /** At most as many are held and billed: no tokenizer that is measured counts more (`token-bound.ts`). */
  readonly tokens: number;
  /** No tokenizer counts fewer: a prompt is only too long for a model if this exceeds its context window. */
  readonly minTokens: number;
}

type Limits = Pick<Model, 'context_window' | 'token_factor' | 'hidden_tokens' | 'max_image_tokens'>;

/**
 * Bounds a prompt for any model. Content that cannot be read counts as the model's context window. So do the results of
 * server tools, unless the billable items of a call specify their tokens.
 */
export function promptBounds(
  prompt: PromptSize,
): (model: Limits, billableItems?: Pick<BillableItems, 'tokensByUses'>) => PromptBound {
  const { objects, toolTokens, images, unseen, providerTools } = prompt;
  const textTokens = boundTextTokens(prompt.strings);
  const around = objects * TOKENS_PER_OBJECT + toolTokens;
  const minTokens = tokenLowerBound(prompt.strings);
  return (model, { tokensByUses } = { tokensByUses: undefined }) => {
    const { context_window: window = Number.POSITIVE_INFINITY, token_factor: factor = 1 } = model;
    const { hidden_tokens: hidden = HIDDEN_TOKENS } = model;
    const isUnread = unseen > 0 || (providerTools && tokensByUses === undefined);
    const unread = isUnread ? (model.context_window ?? LARGEST_WINDOW) : 0;
    const read = Math.ceil(textTokens * factor) + around + hidden + images * imageTokens(model);
    return { tokens: Math.min(Math.max(unread, read), window), minTokens };
  };
}

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

/** Returns the probable number of tokens of the prompt, for the model if it is known. */
export const countPromptTokens = (prompt: PromptSize, model?: Limits): number =>
  countTextTokens(prompt.strings) +
  prompt.messages * DOCUMENTED_TOKENS_PER_MESSAGE +
  RESPONSE_START_TOKENS +
  unreadTokens(prompt, model);

/**
 * Returns the tokens that a prompt is billed by on a route that does not count it: the bound of its texts, plus the
 * documented tokens around them.
 */
export const unreportedPromptTokens = (prompt: PromptSize, model: Limits): number =>
  boundTextTokens(prompt.strings) +
  prompt.messages * DOCUMENTED_TOKENS_PER_MESSAGE +
  RESPONSE_START_TOKENS +
  unreadTokens(prompt, model);

/**
 * Three tokens and the role for a message, and three that start the reply (OpenAI cookbook, "How to count tokens with
 * tiktoken").
 */
const DOCUMENTED_TOKENS_PER_MESSAGE = 4;
const RESPONSE_START_TOKENS = 3;

const imageTokens = (model?: Limits): number => model?.max_image_tokens ?? TOKENS_PER_IMAGE;

const unreadTokens = ({ images, unseen, providerTools }: PromptSize, model?: Limits): number =>
  images * Math.min(USUAL_TOKENS_PER_IMAGE, imageTokens(model)) +
  (unseen + (providerTools ? 1 : 0)) * USUAL_TOKENS_PER_FILE;

/**
 * Returns the tokens that texts count against a key's tokens per minute until their route has counted them. Each four
 * bytes of UTF-8 count as one token, as in English text. The limit is settled on the route's report.
 */
export const rateTokens = (strings: readonly string[]): number =>
  Math.ceil(sum(strings, (text) => Buffer.byteLength(text)) / 4);

/** The rest of a request that is no conversation, as JSON: every field but those named and those left out. */
export const stringifyOtherFields = (named: ReadonlySet<string>, fields: JsonObject): readonly string[] =>
  Object.entries(fields)
    .filter(([field, value]) => !named.has(field) && value !== null && value !== undefined)
    .map(([field, value]) => JSON.stringify({ [field]: value }));

/** Returns the upper bound of the tokens of texts that are not a conversation. */
export const boundTextTokens = (strings: readonly string[]): number => sum(strings, boundTokens);

/** Returns the probable tokens of texts that are not a conversation. */
const countTextTokens = (strings: readonly string[]): number => sum(strings, estimateTokenCount);

const sum = (strings: readonly string[], tokensOf: (text: string) => number): number =>
  strings.reduce((total, text) => total + tokensOf(text), 0);

/**
 * The number of characters that are buffered before counting. Separate counts would count at least one token for each
 * delta.
 */
const CHUNK_CHARACTERS = 4_096;

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
