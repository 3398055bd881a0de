/**
 * Upper bound on the tokens of a run of ASCII letters, for every tokenizer in token-table.ts.
 *
 * A tokenizer merges neighbors until no two remaining neighbors form a token of its vocabulary. A run therefore never
 * has more tokens than its finest cut. The finest cut has the maximum number of tokens without two neighbors that every
 * tokenizer merges. The table lists these merges for letters a, b, c:
 *
 * pair(a, b) a|b becomes ab PAIRS
 * first(a, b, c) a|bc becomes abc FIRST_MERGES
 * last(a, b, c) ab|c becomes abc LAST_MERGES
 *
 * Dynamic programming computes the finest cut of c[1..n]. S1(i), S2(i) and S3(i) are the maximum number of tokens of
 * c[1..i] if the last token has one, two, or at least three letters:
 *
 * S1(i) = 1 + max( S1(i-1) unless pair(c[i-1], c[i]), S2(i-1) unless last(c[i-2], c[i-1], c[i]), S3(i-1) )
 * S2(i) = 1 + max( S1(i-2) unless first(c[i-2], c[i-1], c[i]), S2(i-2), S3(i-2) )
 * S3(i) = 1 + max( S1(j), S2(j), S3(j) over j <= i-3 )
 *
 * result = max( S1(i), S2(i), S3(i) over all i )
 *
 * Two rules make this a bound for a run inside a longer text:
 * - The first letters may belong to a token that starts before the run: S3(0) = S3(1) = S3(2) = 0.
 * - The last letters may belong to a token that ends after the run: the result is the maximum over all i, not S(n).
 *
 * A third rule covers o200k, which splits before a capital that follows a small letter: no merge crosses that boundary.
 */
import { FIRST_MERGES, LAST_MERGES, PAIRS } from './token-table.ts';

/** Letter indices of the tables: 0 for a blank, 1 to 26 for a to z, 27 to 52 for A to Z. */
const LETTERS = 53;
const FIRST_CAPITAL = 27;

/** The letter index of each ASCII character; 0 for any character that is not a letter. */
export const LETTER_INDEX = new Uint8Array(0x80);
for (let index = 1; index <= 26; index += 1) {
  LETTER_INDEX[0x60 + index] = index;
  LETTER_INDEX[0x40 + index] = FIRST_CAPITAL - 1 + index;
}

const pairBits = Buffer.from(PAIRS, 'base64');
const firstBits = Buffer.from(FIRST_MERGES, 'base64');
const lastBits = Buffer.from(LAST_MERGES, 'base64');

const isSet = (bits: Uint8Array, index: number): boolean =>
  (((bits[index >> 3] as number) >> (index & 7)) & 1) === 1;

/** The tables of triples have no capitals. */
const NO_TRIPLE = -1;

const tripleIndex = (a: number, b: number, c: number): number =>
  a < FIRST_CAPITAL && b < FIRST_CAPITAL && c < FIRST_CAPITAL
    ? (a * FIRST_CAPITAL + b) * FIRST_CAPITAL + c
    : NO_TRIPLE;

/** A state that no cut reaches. Small enough to stay negative when it is incremented. */
const UNREACHABLE = -8;

/**
 * Returns the number of tokens of the finest cut of `text` from `start` to `end`: letters, with an optional blank before
 * them. Linear time, constant memory.
 */
export function finestCut(text: string, start: number, end: number): number {
  // S1, S2 and S3 at i-1, at i-2, and the maximum of all three at i-3 or earlier.
  let s1 = UNREACHABLE;
  let s2 = UNREACHABLE;
  let s3 = 0;
  let s1Before = UNREACHABLE;
  let s2Before = UNREACHABLE;
  let s3Before = UNREACHABLE;
  let bestEarlier = UNREACHABLE;
  let result = 0;
  // c[i-2], c[i-1], and whether o200k splits between them.
  let a = 0;
  let b = 0;
  let splitsAB = false;
  for (let at = start; at < end; at += 1) {
    const c = LETTER_INDEX[text.charCodeAt(at)] as number;
    const splitsBC = c >= FIRST_CAPITAL && b < FIRST_CAPITAL && b > 0;
    const triple = tripleIndex(a, b, c);

    let next1 = s3;
    if (s1 > next1 && (splitsBC || !isSet(pairBits, b * LETTERS + c))) next1 = s1;
    if (s2 > next1 && (splitsBC || triple === NO_TRIPLE || !isSet(lastBits, triple))) next1 = s2;

    let next2 = Math.max(s2Before, s3Before);
    if (s1Before > next2 && (splitsAB || triple === NO_TRIPLE || !isSet(firstBits, triple))) next2 = s1Before;

    const next3 = bestEarlier;

    bestEarlier = Math.max(bestEarlier, s1Before, s2Before, s3Before);
    s1Before = s1;
    s2Before = s2;
    s3Before = s3;
    s1 = next1 + 1;
    s2 = next2 + 1;
    s3 = next3 < 0 ? 0 : next3 + 1;
    result = Math.max(result, s1, s2, s3);

    a = b;
    b = c;
    splitsAB = splitsBC;
  }
  return result;
}
