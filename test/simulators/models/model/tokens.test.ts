import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { countTokens, cutToTokens, tokenPieces } from '../../../../simulators/models/model/tokens.ts';
import { growthOf, MOST_IN_PROPORTION } from '../../../growth.ts';
import { it } from '../../../search.ts';

const anyText = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 200 }),
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc
    .array(fc.constantFrom('the ', 'größe ', '👩‍👩‍👧 ', '漢字', '\n'), { maxLength: 400 })
    .map((parts) => parts.join('')),
);

describe('tokens', () => {
  it('count as the tokenizer counts them in a text of many words', () => {
    const text = 'The quick brown fox jumps over the lazy dog. '.repeat(100);
    expect(countTokens(text)).toBe(encode(text).length);
  });

  it('count special tokens as plain text', () => {
    expect(countTokens('<|endoftext|>')).toBeGreaterThan(1);
  });

  it('take linear time in a text without spaces', async () => {
    const count = (words: number) =>
      expect(countTokens('统一推理网关'.repeat(words))).toBeGreaterThan(3 * words);
    expect(await growthOf(count, 250)).toBeLessThan(MOST_IN_PROPORTION);
  });

  it('make pieces that join to the text and never split a surrogate pair', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const pieces = [...tokenPieces(text)];
        expect(pieces.join('')).toBe(text);
        for (const piece of pieces) {
          expect(piece).not.toBe('');
          if (text.isWellFormed()) expect(piece.isWellFormed()).toBe(true);
        }
      }),
    );
  });

  it('cut a text at exactly the limit, to a prefix of it', () => {
    fc.assert(
      fc.property(
        anyText.filter((text) => text.isWellFormed()),
        fc.nat(100),
        (text, limit) => {
          const cut = cutToTokens(text, limit);
          expect(text.startsWith(cut.text)).toBe(true);
          expect(cut.truncated).toBe(countTokens(text) > limit);
          expect(cut.tokenCount).toBe(Math.min(limit, countTokens(text)));
          if (!cut.truncated) expect(cut.text).toBe(text);
        },
      ),
    );
  });
});
