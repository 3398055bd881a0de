import { describe, expect, it } from '@jest/globals';
import { boundTokens } from './token-bound.ts';

/** One token of every tokenizer within a text; its letters alone are more. */
const WORD = 'information';

describe('the token bound of a known word', () => {
  it('equals one token if every tokenizer cuts the word out of the text', () => {
    expect(boundTokens(`a ${WORD}`)).toBe(boundTokens('a') + 1);
    for (const before of ['a\n', 'a\t', 'a('])
      expect([before, boundTokens(before + WORD)]).toEqual([before, boundTokens(before) + 1]);
  });

  it('equals that of its letters if a tokenizer may join a preceding blank to something else', () => {
    // At the beginning of a text, and after further blanks.
    expect(boundTokens(` ${WORD}`)).toBeGreaterThan(1);
    expect(boundTokens(`a  ${WORD}`) - boundTokens('a')).toBeGreaterThan(2);
    expect(boundTokens(`'${WORD}`)).toBeGreaterThan(2);
  });

  it('equals one token before a sign that is no letter, and that of its letters before a sign that may combine with them', () => {
    // A letter alone is one token wherever it stands.
    const beyondOne = (after: string) => boundTokens(`a\n${WORD}${after}`) - boundTokens(`a\nq${after}`);
    // ASCII, general punctuation, and punctuation of Chinese and Japanese: the first and last of each.
    for (const after of ['!', '\u2010', '\u2027', '\u3000', '\u303f'])
      expect([after, beyondOne(after)]).toEqual([after, 0]);
    for (const after of ['\u0301', 'é', '\u200f', '\u2028', '\u2fff', '\u3040', '가'])
      expect([after, beyondOne(after) > 0]).toEqual([after, true]);
  });
});

describe('the bound on the tokens of blanks', () => {
  it('equals one per blank for a few, and then one per eight, because every vocabulary has long ones', () => {
    const within = (count: number) => boundTokens(`(${' '.repeat(count)}(`);
    const counts = [0, 1, 2, 3, 8, 9, 16, 80, 800];
    expect(counts.map((count) => within(count) - within(0))).toEqual([0, 1, 2, 2, 2, 3, 3, 11, 101]);
  });
});
