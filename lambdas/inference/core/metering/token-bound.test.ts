import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { CODE, ENGLISH_CHAT, PROSE } from '../../../../tools/bench/tokens/honest.ts';
import { boundParts, climb, FAMILY_NAMES } from '../../../../tools/bench/tokens/search.ts';
import { LIGHT } from '../../../../tools/bench/tokens/vocabularies.ts';
import { it } from '../../../../tools/test-kit/search.ts';
import { drawsOf } from '../../../../tools/test-kit/seed.ts';
import { seeded } from '../../../../tools/test-kit/seeded.ts';
import { rounds } from '../../../../tools/test-kit/thorough.ts';
import { boundTokens } from './token-bound.ts';
import { WORDS, WORDS_AFTER_BLANK } from './token-table.ts';

/** The worst count of the tokenizers that are dependencies; `npm run bench -- tokens` asks the heavy ones as well. */
const maxTokenCount = (text: string): number => Math.max(...LIGHT.map(({ count }) => count(text)));

/** Code points of a range, in an order that repeats none of them soon. */
const spread = (first: number, last: number, count: number): string =>
  Array.from({ length: count }, (_, index) =>
    String.fromCodePoint(first + ((index * 7919) % (last - first + 1))),
  ).join('');

const small = (count: number, seed: number): string => {
  const chance = seeded(seed);
  return Array.from({ length: count }, () => String.fromCharCode(97 + Math.floor(chance() * 26))).join('');
};

/** Letters and digits whose first code point promised a better rate than the rest kept. */
const ATTACKS: Readonly<Record<string, string>> = {
  'a, then Glagolitic': `a${spread(0x2c30, 0x2c5f, 2_000)}`,
  'a, then small Cherokee': `a${spread(0xab70, 0xabbf, 2_000)}`,
  'a, then Deseret': `a${spread(0x10428, 0x1044f, 2_000)}`,
  '1, then Ethiopic numerals': `1${spread(0x1369, 0x137c, 2_000)}`,
  'phonetic letters': spread(0x250, 0x2af, 2_000),
  'a Hebrew letter, then Yi': `א${spread(0xa000, 0xa48c, 2_000)}`,
  'a Hebrew letter, then rare Han': `א${spread(0x3400, 0x4dbf, 2_000)}`,
  '!, then Braille': `!${spread(0x2800, 0x28ff, 2_000)}`,
  'random small letters': small(2_000, 1),
  'random Hangul': spread(0xac00, 0xd7a3, 2_000),
  'random Han': spread(0x4e00, 0x9fff, 2_000),
  qj: 'qj'.repeat(1_000),
};

describe('the bound on tokens', () => {
  it.each(Object.entries(ATTACKS))('covers the tokens of %s', (_name, text) => {
    expect(maxTokenCount(text)).toBeLessThanOrEqual(boundTokens(text));
  });

  it.each(FAMILY_NAMES)('covers the tokens of the texts that a search generates for %s', (family) => {
    const chance = drawsOf(family);
    const { text, tokens, bound } = climb(family, {
      bound: boundTokens,
      vocabularies: LIGHT,
      chance,
      attempts: rounds(20),
    });
    expect([text, Math.max(0, tokens - bound)]).toEqual([text, 0]);
  });

  it('fails the same search if it assumes four characters a token', () => {
    const worst = Object.fromEntries(
      FAMILY_NAMES.map((family) => {
        const search = {
          bound: (text: string) => Math.ceil(text.length / 4),
          vocabularies: LIGHT,
          chance: drawsOf(`a token for four characters, ${family}`),
          attempts: 20,
        };
        return [family, climb(family, search).times];
      }),
    );
    expect(worst['small letters']).toBeGreaterThan(1.5);
    expect(worst['U+250 to U+2af']).toBeGreaterThan(3);
    expect(Object.values(worst).filter((times) => times > 1).length).toBeGreaterThan(30);
  });

  it('bounds a text by the sum of its parts, wherever a search cuts it', () => {
    const bounds = FAMILY_NAMES.map((family) =>
      climb(family, {
        bound: boundParts,
        vocabularies: LIGHT,
        chance: drawsOf(`in parts, ${family}`),
        attempts: rounds(8),
      }),
    );
    expect(bounds.filter(({ times }) => times > 1)).toEqual([]);
    const strings = [...Object.values(PROSE), ...Object.values(CODE), ...ENGLISH_CHAT];
    const lengths = fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 8 });
    fc.assert(
      fc.property(fc.constantFrom(...strings), fc.nat(), lengths, (text, start, cuts) => {
        let at = start % text.length;
        let sum = 0;
        let fullText = '';
        for (const length of cuts) {
          const part = text.slice(at, at + length);
          at += length;
          sum += boundTokens(part);
          fullText += part;
        }
        expect(maxTokenCount(fullText)).toBeLessThanOrEqual(sum);
      }),
      { numRuns: rounds(150) },
    );
  });

  it.each(Object.entries({ ...PROSE, ...CODE }))(
    'stays within 3 times the count of honest text: %s',
    (_name, text) => {
      const bound = boundTokens(text);
      expect(bound).toBeGreaterThanOrEqual(maxTokenCount(text));
      expect(bound).toBeLessThanOrEqual(3 * maxTokenCount(text));
    },
  );

  it('equals zero for an empty text', () => {
    expect(boundTokens('')).toBe(0);
  });
});

describe('the table of the token bound', () => {
  it('lists words that are one token with or without a leading blank', () => {
    const wrong = (words: string, before: string) =>
      words
        .split(' ')
        .filter((word) => LIGHT.some(({ count }) => count(`\n${before}${word}`) !== count('\n') + 1));
    expect(wrong(WORDS, '').concat(wrong(WORDS, ' '), wrong(WORDS_AFTER_BLANK, ' '))).toEqual([]);
    expect(wrong('qjqj', ' ')).toEqual(['qjqj']);
  });
});
