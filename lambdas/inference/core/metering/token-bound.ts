/**
 * Bounds on the tokens of a text: the maximum for the tokenizers of token-table.ts, and a minimum.
 *
 * Each token counts at the code point at which it starts. Tokenizers merge neighbors until no two remaining neighbors
 * form a token of their vocabulary. A run of letters therefore has at most as many tokens as its finest cut, which has
 * no such neighbors left. A word is one token if every tokenizer has it in its vocabulary and splits it off as a word.
 * docs/decisions/2026-11-22-token-bound.md gives the reasons for this design, and the measurements.
 */
import { finestCut, LETTER_INDEX } from './finest-cut.ts';
import { CODE_POINTS } from './token-table.ts';
import { hashNext, isWord, NO_LETTERS } from './word-table.ts';

const SPACE = 0x20;
const APOSTROPHE = 0x27;

const LAST_LISTED = 0x1ffff;

const tokensOfCodePoint = readCodePoints(CODE_POINTS);

function readCodePoints(runs: string): Uint8Array {
  // An unlisted code point has no token in any vocabulary and takes its four bytes.
  const counts = new Uint8Array(LAST_LISTED + 1).fill(4);
  let code = 0x80;
  for (let at = 0; at < runs.length; ) {
    const count = runs.charCodeAt(at) - 0x40;
    let length = 0;
    for (at += 1; at < runs.length && runs.charCodeAt(at) < 0x40; at += 1)
      length = length * 10 + runs.charCodeAt(at) - 0x30;
    const end = code + (length || 1);
    counts.fill(count, code, end);
    code = end;
  }
  return counts;
}

/**
 * At least as many tokens as the text has with any tokenizer of token-table.ts; 0 for no text. A text is also bounded
 * by the sum of its parts. One pass.
 */
export function boundTokens(text: string): number {
  const { length } = text;
  if (length === 0) return 0;
  // Sentence-piece tokenizers put a blank before a text, and two texts may meet within a word.
  let tokens = 1;
  let at = 0;
  while (at < length) {
    const code = text.charCodeAt(at);
    if (code >= 0x80) {
      const point = text.codePointAt(at) ?? code;
      tokens += point <= LAST_LISTED ? (tokensOfCodePoint[point] as number) : 4;
      at += point > 0xffff ? 2 : 1;
    } else if (code !== SPACE && LETTER_INDEX[code] === 0) {
      tokens += 1;
      at += 1;
    } else {
      let start = at;
      while (start < length && text.charCodeAt(start) === SPACE) start += 1;
      let end = start;
      let hash = NO_LETTERS;
      for (; end < length; end += 1) {
        const letter = text.charCodeAt(end);
        if (letter >= 0x80 || LETTER_INDEX[letter] === 0) break;
        hash = hashNext(hash, letter);
      }
      if (end === start) tokens += boundBlanks(start - at);
      else {
        if (start > at) tokens += boundBlanks(start - at - 1);
        tokens +=
          isCutOut(text, start, end) && isWord(text, start, end, hash) ? 1 : boundRun(text, start, end);
      }
      at = end;
    }
  }
  return tokens;
}

/** Blanks that no word takes along: every vocabulary has tokens of two to fourteen and more. */
const boundBlanks = (count: number): number => (count < 3 ? count : 1 + Math.ceil(count / 8));

/** Bounds the tokens of letters that form no known word, with the blank before them. */
function boundRun(text: string, start: number, end: number): number {
  const previous = start > 0 ? text.charCodeAt(start - 1) : 0;
  if (previous === SPACE) return finestCut(text, start - 1, end);
  const tokenCount = finestCut(text, start, end);
  // Patterns cut "'s" and the like off what follows it.
  return previous === APOSTROPHE ? Math.min(tokenCount + 1, end - start) : tokenCount;
}

/**
 * Returns whether every tokenizer starts and ends a pre-token with the letters, except for a blank or sign before them.
 */
function isCutOut(text: string, start: number, end: number): boolean {
  const next = end < text.length ? text.charCodeAt(end) : 0;
  // General punctuation and that of Chinese and Japanese; other signs may be letters or stand on letters.
  if (next >= 0x80 && !(next >= 0x2010 && next <= 0x2027) && !(next >= 0x3000 && next <= 0x303f))
    return false;
  if (start === 0) return true;
  const previous = text.charCodeAt(start - 1);
  // One blank joins the word. Sentence-piece tokenizers join it to another blank first, such as the blank before a
  // text.
  if (previous === SPACE) return start > 1 && text.charCodeAt(start - 2) !== SPACE;
  if (previous === 0x09 || previous === 0x0a || previous === 0x0d) return true;
  return previous > SPACE && previous < 0x7f && previous !== APOSTROPHE;
}

/** The longest known token, in UTF-16 code units: a run of blanks in o200k and in cl100k. */
const LONGEST_TOKEN = 128;

/** Texts that stand side by side have at least as many tokens. */
export const tokenLowerBound = (strings: readonly string[]): number =>
  Math.ceil(strings.reduce((length, text) => length + text.length, 0) / LONGEST_TOKEN);
