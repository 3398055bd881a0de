/**
 * Token estimates: what a prompt will count before any route has said so, and what delivered text counted where a
 * route never says. Errs high, because the estimate is what keeps a wallet from being overdrawn.
 */
import { estimateTokenCount } from 'tokenx';

/**
 * tokenx guesses from the text's shape. Against OpenAI's o200k tokenizer over prose in a dozen scripts, code and
 * JSON its worst result is 0.6 of the truth (see test/core/inference/estimate.test.ts), so a third is not added
 * but two thirds: no measured text comes out below its true count.
 */
const SAFETY_FACTOR = 1.7;

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
export function estimatePromptTokens(prompt: PromptSize): number {
  return Math.ceil(textTokens(prompt) * SAFETY_FACTOR) + fixedTokens(prompt);
}

/** What the prompt probably counts: the basis of a charge where the route reports nothing. */
export function countPromptTokens(prompt: PromptSize): number {
  return textTokens(prompt) + fixedTokens(prompt);
}

const textTokens = ({ texts }: PromptSize) => texts.reduce((sum, text) => sum + estimateTokenCount(text), 0);

const fixedTokens = ({ messages, images }: PromptSize) =>
  (messages + 1) * TOKENS_PER_MESSAGE + images * TOKENS_PER_IMAGE;

/** Counting a delta at a time would count each as a token of its own, so deltas are gathered to this many characters. */
const CHUNK_CHARACTERS = 4_096;

/** Counts the text of an answer as it is delivered, in constant memory. Its figure is tokenx's own, without a surcharge. */
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
