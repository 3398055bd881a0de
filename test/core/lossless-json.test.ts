import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseJson } from '../../lambdas/core/lossless-json.ts';

const written = (text: string): string => JSON.stringify(parseJson(text));

describe('a JSON text that is read and written again', () => {
  it.each([
    '12345678901234567890',
    '-12345678901234567890',
    '9007199254740993',
    '0.1000000000000000055511151231257827',
    '3.14159265358979323846264338327950288',
    '1e400',
    '-1E+400',
    '1e-400',
    '123456789012345678e300',
  ])('keeps the digits of a number that a double cannot hold: %s', (number) => {
    expect(written(number)).toBe(number);
    expect(written(`{"a":[1,{"b":${number}}]}`)).toBe(`{"a":[1,{"b":${number}}]}`);
  });

  it.each([
    ['1.0', '1'],
    ['1e2', '100'],
    ['10000000000000000000000', '1e+22'],
    ['1.50000000000000000000', '1.5'],
    ['0.00000000000000000000', '0'],
    ['0e999', '0'],
    ['-0', '0'],
  ])('has plain numbers where nothing is lost: %s', (number, plain) => {
    expect(typeof parseJson(number)).toBe('number');
    expect(written(number)).toBe(plain);
  });

  it('has plain numbers beside one that is kept', () => {
    expect(parseJson('{"plain":10.0,"kept":12345678901234567890}')).toMatchObject({ plain: 10 });
  });

  it('keeps its strings, whatever digits are in them', () => {
    const text = '{"id":"12345678901234567890","at":"1e999"}';
    expect(parseJson(text)).toEqual(JSON.parse(text));
  });

  it('is what the platform reads, for any value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(written(JSON.stringify(value))).toBe(JSON.stringify(value));
      }),
    );
  });

  it('keeps any decimal number exactly', () => {
    const digits = fc.stringMatching(/^[1-9][0-9]{0,40}$/);
    fc.assert(
      fc.property(digits, digits, fc.integer({ min: -400, max: 400 }), (whole, fraction, exponent) => {
        const number = `${whole}.${fraction}e${exponent}`;
        expect(exact(written(number))).toEqual(exact(number));
      }),
    );
  });

  it.each(['', '{', '{"a":12345678901234567890', '01', 'nan'])(
    'that is none is a SyntaxError: %s',
    (text) => {
      expect(() => parseJson(text)).toThrow(SyntaxError);
    },
  );
});

/** The number as an integer scaled by a power of ten that every number of these tests fits. */
function exact(number: string): bigint {
  const [mantissa = '', exponent = '0'] = number.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return BigInt(`${whole}${fraction}`) * 10n ** (1_000n + BigInt(exponent) - BigInt(fraction.length));
}
