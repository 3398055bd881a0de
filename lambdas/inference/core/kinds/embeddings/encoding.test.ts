import { expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../../tools/test-kit/search.ts';
import { isEmbedding, toBase64, toFloats } from './embeddings.ts';

it('floats of 32 bits survive both encodings', () => {
  const vector = fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), {
    minLength: 1,
    maxLength: 50,
  });
  fc.assert(
    fc.property(vector, (floats) => {
      const there = toBase64(floats);
      expect(toFloats(there)).toEqual(floats);
      expect(toBase64(there)).toBe(there);
      expect(isEmbedding(there) && isEmbedding(floats)).toBe(true);
    }),
  );
});

it('the base64 encoding is little-endian on every machine', () => {
  expect(toBase64([1])).toBe(Buffer.from([0, 0, 0x80, 0x3f]).toString('base64'));
});

it.each([
  [[]],
  [''],
  [[1, 'a']],
  [[Number.NaN]],
  ['AAA='],
  [null],
  [{}],
  [[1e300]],
  ['heron-7f3a!!'],
  ['AACAfw=='],
  [[null]],
])('%j causes an error, because it is no embedding', (value) => {
  expect(isEmbedding(value)).toBe(false);
});
