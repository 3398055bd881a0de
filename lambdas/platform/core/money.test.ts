import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { growthOf, MAX_RATIO } from '../../../tools/test-kit/growth.ts';
import { it } from '../../../tools/test-kit/search.ts';
import { divideUp, formatUsd, NANO_PER_CENT, NANO_PER_USD, parseUsd, toCents, usdJson } from './money.ts';

const nanoUsd = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n });

describe('the reader of USD amounts', () => {
  it('reads back every amount that formatUsd prints', () => {
    fc.assert(fc.property(nanoUsd, (amount) => parseUsd(formatUsd(amount)) === amount));
  });

  it('reads a decimal of up to 9 places exactly, whatever its whole part', () => {
    const parts = fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 20n }), fc.integer({ min: 1, max: 9 }), fc.nat());
    fc.assert(
      fc.property(parts, ([integer, decimals, seed]) => {
        const fraction = BigInt(seed) % 10n ** BigInt(decimals);
        const written = `${integer}.${String(fraction).padStart(decimals, '0')}`;
        expect(parseUsd(written)).toBe(integer * NANO_PER_USD + fraction * 10n ** BigInt(9 - decimals));
      }),
    );
  });

  it('reads a number as the decimal its caller wrote, for any amount of up to 15 digits', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 999_999_999_999_999 }), (nano) => {
        const written = formatUsd(BigInt(nano));
        expect(parseUsd(Number(written))).toBe(BigInt(nano));
      }),
    );
  });

  it.each([
    ['0', 0n],
    ['-0', 0n],
    ['0.000000001', 1n],
    ['10', 10_000_000_000n],
    ['-1.5', -1_500_000_000n],
    ['1.0000000000000', 1_000_000_000n],
    ['0.15', 150_000_000n],
    [0.1, 100_000_000n],
    [1e-9, 1n],
    [1e21, 10n ** 30n],
    ['9007199254740993.000000001', 9_007_199_254_740_993_000_000_001n],
    ['9'.repeat(32), BigInt('9'.repeat(32)) * NANO_PER_USD],
    [`0.${'0'.repeat(30)}`, 0n],
  ])('reads %p exactly', (written, amount) => {
    expect(parseUsd(written)).toBe(amount);
  });

  it.each(['0.0000000001', '0.1234567891', '1e-10', 1e-10, 0.1 + 0.2])(
    'rejects %p, which needs more than 9 decimal places',
    (written) => {
      expect(parseUsd(written)).toBeUndefined();
    },
  );

  it.each([
    '',
    ' ',
    '1 ',
    ' 1',
    '+1',
    '.5',
    '1.',
    '1,5',
    '0x10',
    '1_000',
    '1e',
    '1e+',
    '--1',
    '-',
    '１',
    '1n',
    'NaN',
    'Infinity',
    'null',
    '1\n',
    '1e1.5',
    '1e1000',
    '1e-1000',
    '9'.repeat(33),
  ])('rejects %j, which is not a decimal or has an absurd size', (written) => {
    expect(parseUsd(written)).toBeUndefined();
  });

  it('never takes long over a text as long as a request body may be', async () => {
    const read = (digits: number) => {
      parseUsd('9'.repeat(digits));
      parseUsd(`0.${'0'.repeat(digits)}1`);
      parseUsd(`1e${'9'.repeat(digits)}`);
    };
    expect(await growthOf(read, 100_000)).toBeLessThan(MAX_RATIO);
  });

  it('never reads anything but a decimal, whatever the text', () => {
    let decimals = 0;
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'0123456789.-+eE ') }), (text) => {
        const amount = parseUsd(text);
        if (amount === undefined) return;
        decimals += 1;
        expect(Number(formatUsd(amount))).toBeCloseTo(Number(text), 9);
      }),
    );
    expect(decimals).toBeGreaterThan(3);
  });
});

describe('the text of a USD amount', () => {
  it('prints no exponent, no trailing zero and at most 9 places', () => {
    fc.assert(
      fc.property(nanoUsd, (amount) => {
        expect(formatUsd(amount)).toMatch(/^-?(0|[1-9]\d*)(\.\d{0,8}[1-9])?$/);
      }),
    );
  });

  it.each([
    [0n, '0'],
    [1n, '0.000000001'],
    [-1n, '-0.000000001'],
    [12_000n, '0.000012'],
    [10_000_000_000n, '10'],
    [-1_500_000_000n, '-1.5'],
  ])('prints %p nano-USD as %p', (amount, printed) => {
    expect(formatUsd(amount)).toBe(printed);
  });
});

describe('the division that rounds up', () => {
  it('gives the least quotient that covers the dividend', () => {
    const nonNegative = fc.bigInt({ min: 0n, max: 10n ** 40n });
    const positive = fc.bigInt({ min: 1n, max: 10n ** 20n });
    fc.assert(
      fc.property(nonNegative, positive, (dividend, divisor) => {
        const quotient = divideUp(dividend, divisor);
        expect(quotient * divisor >= dividend).toBe(true);
        expect((quotient - 1n) * divisor < dividend).toBe(true);
      }),
    );
  });
});

describe('the conversion to cents', () => {
  it('returns the exact number of cents, or throws', () => {
    fc.assert(fc.property(fc.maxSafeNat(), (cents) => toCents(BigInt(cents) * NANO_PER_CENT) === cents));
    expect(() => toCents(NANO_PER_CENT + 1n)).toThrow('whole number of cents');
  });
});

describe('a USD amount', () => {
  it('becomes the exact decimal in JSON text, beyond the digits of a floating-point number', () => {
    fc.assert(
      fc.property(nanoUsd, (amount) => {
        expect(JSON.stringify({ cost: usdJson(amount) })).toBe(`{"cost":${formatUsd(amount)}}`);
      }),
    );
  });
});
