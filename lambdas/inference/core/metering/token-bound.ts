/**
 * Bounds on the tokens of a text: how many at most, with the tokenizers of token-table.ts, and how many with any.
 *
 * Each token is counted at the code point it begins in. Tokenizers merge neighbours until no two that they know as one
 * stand side by side, so a run of letters has at most as many tokens as the finest cut in which no such neighbours are
 * left; a word that every tokenizer knows, and that every tokenizer cuts out as such, is one token.
 * docs/decisions/2026-11-22-token-bound.md says why it is made so, and what was measured.
 */
import { finestCut, LETTER_INDEX } from './finest-cut.ts';
import { CODE_POINTS } from './token-table.ts';
import { hashNext, isWord, NO_LETTERS } from './word-table.ts';

const SPACE = 0x20;
const APOSTROPHE = 0x27;

const LAST_LISTED = 0x1ffff;

const tokensOfCodePoint = readCodePoints(CODE_POINTS);

function readCodePoints(runs: string): Uint8Array {
  // What is not listed has no token of its own in any vocabulary: it takes its four bytes.
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
 * by the sum of its parts. One pass, and never more than `mostTokens`.
 */
export function boundTokens(text: string): number {
  const { length } = text;
  if (length === 0) return 0;
  // Sentence-piece tokenizers put a blank before a text, and two texts may meet within a word.
  let tokens = 1;
  // Whether code points count more than their bytes, for what they may become.
  let exceeds = false;
  let at = 0;
  while (at < length) {
    const code = text.charCodeAt(at);
    if (code >= 0x80) {
      const point = text.codePointAt(at) ?? code;
      const count = point <= LAST_LISTED ? (tokensOfCodePoint[point] as number) : 4;
      if (count > 2 && (count > 4 || count > bytesOf(point))) exceeds = true;
      tokens += count;
      at += point > 0xffff ? 2 : 1;
    } else if (code !== SPACE && LETTER_INDEX[code] === 0) {
      tokens += 1;
      at += 1;
    } else {
      let begin = at;
      while (begin < length && text.charCodeAt(begin) === SPACE) begin += 1;
      let end = begin;
      let hash = NO_LETTERS;
      for (; end < length; end += 1) {
        const letter = text.charCodeAt(end);
        if (letter >= 0x80 || LETTER_INDEX[letter] === 0) break;
        hash = hashNext(hash, letter);
      }
      if (end === begin) tokens += boundBlanks(begin - at);
      else {
        if (begin > at) tokens += boundBlanks(begin - at - 1);
        tokens +=
          isCutOut(text, begin, end) && isWord(text, begin, end, hash) ? 1 : boundRun(text, begin, end);
      }
      at = end;
    }
  }
  return exceeds ? Math.min(tokens, mostTokens(text)) : tokens;
}

/** Returns the bytes of a code point that is not ASCII. */
const bytesOf = (point: number): number => (point < 0x800 ? 2 : point < 0x10000 ? 3 : 4);

/** Blanks that no word takes along: every vocabulary has tokens of two to fourteen and more. */
const boundBlanks = (count: number): number => (count < 3 ? count : 1 + Math.ceil(count / 8));

/** Letters that are no known word, with the blank before them. */
function boundRun(text: string, begin: number, end: number): number {
  const previous = begin > 0 ? text.charCodeAt(begin - 1) : 0;
  if (previous === SPACE) return finestCut(text, begin - 1, end);
  const parts = finestCut(text, begin, end);
  // Patterns cut "'s" and the like off what follows it.
  return previous === APOSTROPHE ? Math.min(parts + 1, end - begin) : parts;
}

/** Returns whether every tokenizer starts and ends a piece with the letters, except for a blank or sign before them. */
function isCutOut(text: string, begin: number, end: number): boolean {
  const next = end < text.length ? text.charCodeAt(end) : 0;
  // General punctuation and that of Chinese and Japanese; other signs may be letters or stand on letters.
  if (next >= 0x80 && !(next >= 0x2010 && next <= 0x2027) && !(next >= 0x3000 && next <= 0x303f))
    return false;
  if (begin === 0) return true;
  const previous = text.charCodeAt(begin - 1);
  // One blank joins the word; sentence-piece tokenizers join it to another blank sooner, such as that before a text.
  if (previous === SPACE) return begin > 1 && text.charCodeAt(begin - 2) !== SPACE;
  if (previous === 0x09 || previous === 0x0a || previous === 0x0d) return true;
  return previous > SPACE && previous < 0x7f && previous !== APOSTROPHE;
}

/** The longest known token, in UTF-16 code units: a run of blanks in o200k and in cl100k. */
const LONGEST_TOKEN = 128;

/** Texts that stand side by side have at least as many tokens. */
export const leastTokens = (texts: readonly string[]): number =>
  Math.ceil(texts.reduce((length, text) => length + text.length, 0) / LONGEST_TOKEN);

/** Returns whether `boundTokens` exceeds a limit. Most texts are short enough to decide it without reading them. */
export const mayExceed = (text: string, limit: number): boolean =>
  mostTokens(text) > limit && boundTokens(text) > limit;

/** The first code point from which Unicode decomposes nothing. A code point in no table takes at most its bytes. */
const FIRST_UNDECOMPOSED = 0x30000;

/** Bytes that a code point becomes at most; 0 where that is not known yet. */
const bytesOfCodePoint = new Uint8Array(FIRST_UNDECOMPOSED);

/**
 * More tokens than this no tokenizer counts that knows every byte, whichever its vocabulary: the bytes of the text in
 * UTF-8, as it is or as Unicode normalisation (NFC or NFKC) makes it, and a blank before it. Lone surrogates are the
 * three bytes of U+FFFD. Never less than `boundTokens`; 0 for no text.
 */
export function mostTokens(text: string): number {
  const { length } = text;
  if (length === 0) return 0;
  if (Buffer.byteLength(text) === length) return length + 1;
  let tokens = 1;
  for (let at = 0; at < length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 0x80) {
      tokens += 1;
      continue;
    }
    const point = text.codePointAt(at) ?? code;
    if (point > 0xffff) at += 1;
    tokens += point < FIRST_UNDECOMPOSED ? bytesOfCodePoint[point] || measureBytes(point) : 4;
  }
  return tokens;
}

const isSyllable = (point: number): boolean => point >= 0xac00 && point <= 0xd7a3;

/**
 * Composition never makes a text longer, so a text is at most as long as its decomposition; only Hangul syllables are
 * always composed again.
 */
function measureBytes(point: number): number {
  const text = String.fromCodePoint(point);
  const forms = isSyllable(point) ? [text] : [text, text.normalize('NFKC'), text.normalize('NFKD')];
  const bytes = Math.max(...forms.map((form) => Buffer.byteLength(form)));
  bytesOfCodePoint[point] = bytes;
  return bytes;
}
