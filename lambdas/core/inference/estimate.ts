/**
 * Token estimates: a bound on what a prompt will count before any route has said so, for the hold; and a fair count
 * of what was read and written where a route never says, for the charge.
 */
import { estimateTokenCount } from 'tokenx';
import { boundTokens } from './token-bound.ts';

/** Role, separators and the reply's primer (OpenAI cookbook, "How to count tokens with tiktoken": 3 + 3). */
const TOKENS_PER_MESSAGE = 6;

/** The most an image costs with the large providers: about 1,600 (Anthropic documentation, Vision, image costs). */
const TOKENS_PER_IMAGE = 1_700;

/** The part of a prompt that counts. */
export interface PromptSize {
  readonly texts: readonly string[];
  readonly images: number;
  readonly messages: number;
}

/** What the prompt counts at most: the basis of a hold. */
export const boundPromptTokens = (prompt: PromptSize): number =>
  boundTextTokens(prompt.texts) + fixedTokens(prompt);

/** What the prompt probably counts: the basis of a charge where the route reports nothing. */
export const countPromptTokens = (prompt: PromptSize): number =>
  countTextTokens(prompt.texts) + fixedTokens(prompt);

/** What texts count at most that are no conversation. */
export const boundTextTokens = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + boundTokens(text), 0);

/** What texts probably count that are no conversation. */
export const countTextTokens = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + estimateTokenCount(text), 0);

const fixedTokens = ({ messages, images }: PromptSize) =>
  (messages + 1) * TOKENS_PER_MESSAGE + images * TOKENS_PER_IMAGE;

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
