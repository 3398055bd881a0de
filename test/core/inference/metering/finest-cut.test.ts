import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { finestCut, LETTER_INDEX } from '../../../../lambdas/core/inference/metering/finest-cut.ts';
import { PAIRS } from '../../../../lambdas/core/inference/metering/token-table.ts';

const SMALL = [...'abcdefghijklmnopqrstuvwxyz'];
const CAPITALS = SMALL.map((letter) => letter.toUpperCase());
const LETTERS = [...SMALL, ...CAPITALS];

const cut = (text: string): number => finestCut(text, 0, text.length);

/** Pairs of a blank or letter and a letter that every tokenizer merges: bit `row * 53 + column`, the lowest bit first. */
const MERGED: ReadonlySet<string> = new Set(
  [' ', ...LETTERS].flatMap((left, row) =>
    [' ', ...LETTERS].flatMap((right, column) => {
      const index = row * 53 + column;
      return (Buffer.from(PAIRS, 'base64').readUInt8(index >> 3) >> (index & 7)) % 2 === 1
        ? [left + right]
        : [];
    }),
  ),
);

describe('the index of a letter', () => {
  it('is its place among the small letters, then among the capitals, and 0 of anything else', () => {
    const named = Array.from(LETTER_INDEX, (index, code) => [String.fromCharCode(code), index] as const);
    expect(named.filter(([, index]) => index > 0).map(([letter]) => letter)).toEqual([...CAPITALS, ...SMALL]);
    for (const [place, letter] of LETTERS.entries())
      expect([letter, LETTER_INDEX[letter.charCodeAt(0)]]).toEqual([letter, place + 1]);
  });
});

describe('the finest cut of letters', () => {
  it('of two is one token where every tokenizer merges them, and two elsewhere', () => {
    expect(MERGED.size).toBeGreaterThan(900);
    // A tokenizer may cut before a capital that follows a small letter, whatever the others do.
    const isApart = (left: string, right: string) => SMALL.includes(left) && CAPITALS.includes(right);
    for (const left of LETTERS) {
      for (const right of LETTERS) {
        const tokens = MERGED.has(left + right) && !isApart(left, right) ? 1 : 2;
        expect([left + right, cut(left + right)]).toEqual([left + right, tokens]);
      }
    }
  });

  it('is of at most as many tokens as letters, and loses at most what is left out', () => {
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
