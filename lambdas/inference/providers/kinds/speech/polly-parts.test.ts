import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../../tools/test-kit/search.ts';
import { rounds } from '../../../../../tools/test-kit/thorough.ts';
import { escapedXml, partsOf } from './polly-parts.ts';

const INPUT_CHARACTERS = 4_096;

const filled = (unit: string): string =>
  [...unit.repeat(INPUT_CHARACTERS)].reduce(
    (text, character) => (text.length + character.length > INPUT_CHARACTERS ? text : text + character),
    '',
  );

/** Texts of the longest input, and seconds that a slow voice takes for a code point of them. */
const TEXTS = {
  'Latin letters': [filled('The quick brown fox jumps over the lazy dog. '), 0.1],
  'Latin letters without blanks': [filled('supercalifragilistic'), 0.1],
  'Han characters': [filled('春眠不覺曉，處處聞啼鳥。'), 0.34],
  'Han characters without punctuation': [filled('春眠不覺曉處處聞啼鳥'), 0.34],
  'Thai letters': [filled('สวัสดีชาวโลก'), 0.34],
  'Devanagari letters': [filled('नमस्ते दुनिया। '), 0.12],
  'Arabic letters': [filled('مرحبا بالعالم. '), 0.12],
  digits: [filled('987654321'), 0.75],
  lines: [filled('a\n'), 0.35],
  emoji: [filled('😀'), 2],
  'joined emoji': [filled('👩‍🚀'), 0.9],
  'escaped characters': [filled(`&<>"'`), 0.5],
  'marks of one letter': [`e${'\u0301'.repeat(INPUT_CHARACTERS - 1)}`, 0.1],
} as const;

const CASES = Object.entries(TEXTS).flatMap(([name, [text, seconds]]) =>
  [0.25, 1, 2].map((speed) => [name, speed, text, seconds] as const),
);

describe('the parts of a text', () => {
  it.each(CASES)(
    'fit into a request and into ten minutes, and are the text when joined: %s at speed %p',
    (_name, speed, text, seconds) => {
      const parts = partsOf(text, speed);
      expect(parts.join('')).toBe(text);
      expect(parts.length).toBeGreaterThan(1);
      for (const part of parts) {
        expect(escapedXml(part).length).toBeLessThanOrEqual(3_000);
        expect(([...part].length * seconds) / speed).toBeLessThan(600);
        expect(part.isWellFormed()).toBe(true);
      }
    },
  );

  it('fit, and keep every code point in its order, for any text and speed', () => {
    const text = fc.string({
      unit: fc.oneof(
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 3 }),
        fc.constantFrom('. ', ' ', '。', 'word ', '&', '7', 'ไ', '漢', '🜂'),
      ),
      maxLength: 1_500,
    });
    fc.assert(
      fc.property(text, fc.double({ min: 0.25, max: 2, noNaN: true }), (input, speed) => {
        const parts = partsOf(input, speed);
        expect(parts.join('').replaceAll(/\s/g, '')).toBe(
          input.replaceAll(/[^\P{Cc}\s]|[\uFFFE\uFFFF]/gu, ' ').replaceAll(/\s/g, ''),
        );
        for (const part of parts) {
          expect(part.trim()).not.toBe('');
          expect(escapedXml(part).length).toBeLessThanOrEqual(3_000);
        }
      }),
      { numRuns: rounds(100) },
    );
  });

  it('end at a sentence, or else at a word', () => {
    const sentence = `${'It was a bright cold day in April and the clocks were striking thirteen. '}`;
    for (const part of partsOf(sentence.repeat(50), 1)) expect(part.trim().endsWith('.')).toBe(true);
    const words = partsOf('striking '.repeat(450), 1);
    for (const part of words) expect(part.trim()).toMatch(/^striking( striking)*$/);
  });

  it('exclude blank ones, and characters that XML does not have', () => {
    expect(partsOf(' \n\t ', 1)).toEqual([]);
    expect(partsOf(`${'a'.repeat(2_900)}${' '.repeat(400)}`, 2)).toHaveLength(1);
    expect(partsOf('a\u0000b\u001bc\ud800d\uffff', 1)).toEqual(['a b c\ufffdd ']);
  });
});
