/**
 * Token estimates: a bound on what a prompt will count before any route has said so, for the hold; and a fair count
 * of what was read and written where a route never says, for the charge.
 */
import { estimateTokenCount } from 'tokenx';
import type { Model } from '../catalog/catalog-document.ts';
import { boundImages, countImages, type ImageLimits } from './image-tokens.ts';
import { TOKENS_PER_MESSAGE } from './prompt-envelope.ts';
import type { PromptSize } from './prompt-size.ts';
import { boundTokens, leastTokens, mostTokens } from './token-bound.ts';

/** What a file that is not seen probably counts: a dozen pages (Claude API docs, PDF support: up to 3,000 a page). */
const USUAL_TOKENS_PER_FILE = 36_000;

/** The context window of a model whose catalog entry names none: the largest that is common. */
export const LARGEST_WINDOW = 1_000_000;

/** What a server may put before a prompt by itself: the system text of its chat template, instructions for tools. */
const HIDDEN_TOKENS = 1_024;

/** How many tokens a prompt may count. */
export interface PromptBound {
  /** The basis of the hold: no tokenizer that is measured counts more (`token-bound.ts`). */
  readonly tokens: number;
  /** What no tokenizer at all can exceed: a route that reports more is not believed. */
  readonly most: number;
  /** No tokenizer counts fewer: a prompt is only too long for a model if this exceeds its context window. */
  readonly least: number;
}

type Limits = Pick<Model, 'context_window'> & ImageLimits;

/** Bounds a prompt, on any model; what cannot be seen is as large as the model's context window. */
export function promptBounds(prompt: PromptSize): (model: Limits) => PromptBound {
  const { envelope, images, unseen, providerTools } = prompt;
  const texts = { tokens: boundTextTokens(prompt.texts), most: mostTextTokens(prompt.texts) };
  const least = leastTokens(prompt.texts);
  return (model) => {
    const window = model.context_window ?? Number.POSITIVE_INFINITY;
    const seen = boundImages(images, model);
    const hidden = unseen > 0 || providerTools ? (model.context_window ?? LARGEST_WINDOW) : 0;
    const tokens = Math.min(Math.max(hidden, texts.tokens + envelope + seen.tokens), window);
    const most = Math.min(texts.most + envelope + seen.most + HIDDEN_TOKENS, window);
    return { tokens, most: Math.max(tokens, most), least };
  };
}

/** What the prompt probably counts, on the model where it is known: the basis of a charge where the route reports nothing. */
export const countPromptTokens = (prompt: PromptSize, model?: Limits): number =>
  countTextTokens(prompt.texts) +
  (prompt.messages + 1) * TOKENS_PER_MESSAGE +
  countImages(prompt.images, model) +
  (prompt.unseen + (prompt.providerTools ? 1 : 0)) * USUAL_TOKENS_PER_FILE;

/** What texts count at most that are no conversation. */
export const boundTextTokens = (texts: readonly string[]): number => sum(texts, boundTokens);

/** What no tokenizer can exceed for texts that are no conversation. */
export const mostTextTokens = (texts: readonly string[]): number => sum(texts, mostTokens);

/** What texts probably count that are no conversation. */
export const countTextTokens = (texts: readonly string[]): number => sum(texts, estimateTokenCount);

const sum = (texts: readonly string[], tokensOf: (text: string) => number): number =>
  texts.reduce((total, text) => total + tokensOf(text), 0);

/** Counting a delta at a time would count each as a token of its own, so deltas are gathered to this many characters. */
const CHUNK_CHARACTERS = 4_096;

/** Counts the text of an answer as it is delivered, in constant memory. */
export class OutputCounter {
  #pending = '';
  #counted = 0;

  add(text: string): void {
    this.#pending += text;
    if (this.#pending.length >= CHUNK_CHARACTERS) {
      this.#counted += estimateTokenCount(this.#pending);
      this.#pending = '';
    }
  }

  get tokens(): number {
    return this.#counted + estimateTokenCount(this.#pending);
  }
}
