import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { LIGHT } from '../../../../tools/bench/tokens/vocabularies.ts';
import { it } from '../../../../tools/test-kit/search.ts';
import { finestCut, LETTER_INDEX } from './finest-cut.ts';
import { FIRST_MERGES, LAST_MERGES, PAIRS } from './token-table.ts';

const SMALL = [...'abcdefghijklmnopqrstuvwxyz'];
const CAPITALS = SMALL.map((letter) => letter.toUpperCase());
const LETTERS = [...SMALL, ...CAPITALS];

const cut = (text: string): number => finestCut(text, 0, text.length);

/** A bit of a table, the lowest of each byte first. */
const isSet = (table: string, index: number): boolean =>
  (Buffer.from(table, 'base64').readUInt8(index >> 3) >> (index & 7)) % 2 === 1;

/** Pairs of a blank or letter and a letter that every tokenizer merges: bit `row * 53 + column`. */
const MERGED: ReadonlySet<string> = new Set(
  [' ', ...LETTERS].flatMap((left, row) =>
    [' ', ...LETTERS].flatMap((right, column) => (isSet(PAIRS, row * 53 + column) ? [left + right] : [])),
  ),
);

describe('the index of a letter', () => {
  it('equals its position among the small letters, then the capitals, and 0 for anything else', () => {
    const named = Array.from(LETTER_INDEX, (index, code) => [String.fromCharCode(code), index] as const);
    expect(named.filter(([, index]) => index > 0).map(([letter]) => letter)).toEqual([...CAPITALS, ...SMALL]);
    for (const [index, letter] of LETTERS.entries())
      expect([letter, LETTER_INDEX[letter.charCodeAt(0)]]).toEqual([letter, index + 1]);
  });
});

/** The index of three small letters, or of a blank and two: the first counts most. */
const tripleOf = (letters: string): number =>
  [...letters].reduce((sum, letter) => sum * 27 + (LETTER_INDEX[letter.charCodeAt(0)] ?? 0), 0);

/**
 * Returns whether every tokenizer merges two neighbors: two letters, or a letter and two. A tokenizer may cut before a
 * capital that follows a small letter. The letters on either side of such a cut are therefore never merged.
 */
function isMerged(text: string, startOffset: number, middle: number, end: number): boolean {
  const isApart = (at: number) => at > startOffset && /[a-z][A-Z]/.test(text.slice(at - 1, at + 1));
  const parts = text.slice(startOffset, end);
  if (isApart(middle)) return false;
  if (parts.length === 2) return MERGED.has(parts);
  if (parts.length !== 3 || /[A-Z]/.test(parts)) return false;
  return isSet(middle - startOffset === 1 ? FIRST_MERGES : LAST_MERGES, tripleOf(parts));
}

/** The most tokens of all the ways to cut the letters. What stands around them may take some along at either end. */
function maxOverCuts(text: string): number {
  const from = (startOffset: number, middle: number): number => {
    let maxTokens = startOffset === middle ? 0 : 1;
    for (let end = middle + 1; end <= text.length; end += 1)
      if (startOffset === middle || !isMerged(text, startOffset, middle, end))
        maxTokens = Math.max(maxTokens, (startOffset === middle ? 0 : 1) + from(middle, end));
    return maxTokens;
  };
  let maxTokens = 0;
  for (let start = 0; start < text.length; start += 1) maxTokens = Math.max(maxTokens, from(start, start));
  return maxTokens;
}

describe('the finest cut of letters', () => {
  it('yields one token for two letters that every tokenizer merges, and two tokens for any others', () => {
    expect(MERGED.size).toBeGreaterThan(900);
    const apart = [...MERGED].filter(([left = '', right = '']) =>
      LIGHT.some(({ merges }) => !merges(left, right)),
    );
    expect(apart).toEqual([]);
    // A tokenizer may cut before a capital that follows a small letter, whatever the others do.
    const isApart = (left: string, right: string) => SMALL.includes(left) && CAPITALS.includes(right);
    for (const left of LETTERS) {
      for (const right of LETTERS) {
        const tokens = MERGED.has(left + right) && !isApart(left, right) ? 1 : 2;
        expect([left + right, cut(left + right)]).toEqual([left + right, tokens]);
      }
    }
  });

  it('yields the finest of all cuts without two neighbors that every tokenizer merges', () => {
    const small = fc.array(fc.constantFrom(...SMALL), { minLength: 1, maxLength: 9 });
    const any = fc.array(fc.constantFrom(...LETTERS, ...'etaoinsrhl'), { minLength: 1, maxLength: 9 });
    const run = fc.tuple(fc.constantFrom('', ' '), fc.oneof(small, any));
    fc.assert(
      fc.property(run, ([before, letters]) => {
        const text = before + letters.join('');
        expect([text, cut(text)]).toEqual([text, maxOverCuts(text)]);
      }),
      { numRuns: 1_000 },
    );
  });

  it('yields at most one token per letter, and at most one more for each added letter', () => {
    const run = fc.array(fc.constantFrom(...LETTERS), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(run, run, (first, second) => {
        const [head, tail] = [first.join(''), second.join('')];
        expect(cut(head)).toBeGreaterThanOrEqual(1);
        expect(cut(head)).toBeLessThanOrEqual(head.length);
        expect(cut(head + tail)).toBeGreaterThanOrEqual(cut(head));
        expect(cut(head + tail)).toBeLessThanOrEqual(cut(head) + tail.length);
      }),
    );
  });
});
