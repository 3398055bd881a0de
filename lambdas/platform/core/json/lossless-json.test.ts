import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../tools/test-kit/search.ts';
import { isJsonObject, parseJson, rawJson } from './lossless-json.ts';

const written = (text: string): string => JSON.stringify(parseJson(text));

describe('a JSON text that is read and written again', () => {
  it.each([
    ['0.69999998807907104', 0.699999988079071],
    ['-0.69999998807907104', -0.699999988079071],
    ['0.1000000000000000055511151231257827', 0.1],
    ['1234567890123456.5', 1234567890123456.5],
    ['1.5e300', 1.5e300],
    ['123456789012345678e3', 1.2345678901234568e20],
    ['9007199254740991', 9007199254740991],
    ['-9007199254740991', -9007199254740991],
    ['1.0', 1],
    ['-0', -0],
  ])(
    'yields plain numbers, alone and next to a number that is stored digit by digit: %s',
    (number, plain) => {
      expect(parseJson(number)).toBe(plain);
      expect(parseJson(`{"plain":${number},"kept":12345678901234567890}`)).toEqual({
        plain,
        kept: rawJson('12345678901234567890'),
      });
    },
  );

  it('preserves its strings, whatever digits they contain', () => {
    const text = '{"id":"12345678901234567890","at":" 12345678901234567890"}';
    expect(parseJson(text)).toEqual(JSON.parse(text));
  });

  it('matches the output of the platform’s own JSON, for any value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 2), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        expect(written(text)).toBe(JSON.stringify(value));
      }),
    );
  });

  it('preserves any integer at any position', () => {
    fc.assert(
      fc.property(
        fc.bigInt(),
        fc.jsonValue(),
        fc.constantFrom('', ' ', '\t', '\n', '\r'),
        (number, value, space) => {
          const other = JSON.stringify(value);
          expect(written(`${space}${number}${space}`)).toBe(String(number));
          expect(written(`[${space}${number},${space}{"a":${space}${number}${space}},${other}]`)).toBe(
            `[${number},{"a":${number}},${JSON.stringify(JSON.parse(other))}]`,
          );
        },
      ),
      {
        examples: [2n ** 53n + 1n, -(2n ** 53n) - 1n, 10n ** 400n].map((number): [bigint, null, ''] => [
          number,
          null,
          '',
        ]),
      },
    );
  });

  it('returns long numbers in any other requested form', () => {
    expect(parseJson('[1,0.5,12345678901234567890]', BigInt)).toEqual([1, 0.5, 12345678901234567890n]);
  });

  it.each(['', '{', '{"a":12345678901234567890', '01', 'nan'])(
    'causes a SyntaxError if it is not JSON: %s',
    (text) => {
      expect(() => parseJson(text)).toThrow(SyntaxError);
    },
  );
});

describe('an object of JSON', () => {
  it.each(['{}', '{"a":12345678901234567890}'])('isJsonObject accepts %s', (text) => {
    expect(isJsonObject(parseJson(text))).toBe(true);
  });

  it.each(['null', '[]', '"a"', '1', 'true', '12345678901234567890'])('isJsonObject rejects %s', (text) => {
    expect(isJsonObject(parseJson(text))).toBe(false);
  });
});
