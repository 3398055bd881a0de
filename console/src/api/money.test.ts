import { expect } from '@jest/globals';
import fc from 'fast-check';
import { amountOf } from '../../../lambdas/inference/core/pricing/bill.ts';
import { usdJson } from '../../../lambdas/platform/core/money.ts';
import { it } from '../../../tools/test-kit/search.ts';
import {
  centsField,
  centsOf,
  lineAmount,
  parseUsd,
  percentText,
  perText,
  roundingOf,
  usdField,
  usdText,
} from './money.ts';

const nano = fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n });

it('the console reads every amount that the service writes, to the last digit', () => {
  fc.assert(
    fc.property(nano, (amount) => {
      expect(parseUsd((usdJson(amount) as unknown as { rawJSON: string }).rawJSON)).toBe(amount);
    }),
  );
});

it('the console shows every digit of an amount, and reads back the shown text', () => {
  fc.assert(
    fc.property(nano, (amount) => {
      expect(parseUsd(usdText(amount).replaceAll(/[$,]/g, ''))).toBe(amount);
      if (amount >= 0n) expect(parseUsd(usdField(amount) || '0')).toBe(amount);
    }),
  );
});

it.each([
  [0n, '$0.00', ''],
  [16_350n, '$0.00001635', ''],
  [1_234_567_890_000_000_001n, '$1,234,567,890.000000001', ''],
  [-1_500_000_000n, '-$1.50', ''],
])('the console shows %s nano-USD as %s', (amount, text) => {
  expect(usdText(amount)).toBe(text);
});

it.each([
  ['1e-9', 1n],
  ['2.3E-8', 23n],
  ['10', 10_000_000_000n],
  ['0.0000000019', 1n],
])('the console reads the amount %s', (text, amount) => {
  expect(parseUsd(text)).toBe(amount);
});

it.each(['', 'x', '1,5', '0x10', '--1', '1e9999'])('the console rejects the amount %j', (text) => {
  expect(() => parseUsd(text)).toThrow('is no amount');
});

it.each([
  ['1.50', 150],
  ['0.29', 29],
  ['10000000', 1_000_000_000],
  ['', 0],
])('the console reads a price of %j USD as %i cents, and shows it in the same form', (text, cents) => {
  expect(centsOf(text)).toBe(cents);
  expect(centsOf(centsField(cents))).toBe(cents);
});

it.each([
  [2_085n, 10_000n, '20.9 %'],
  [2_084n, 10_000n, '20.8 %'],
  [1n, 1n, '100.0 %'],
  [1n, 3n, '33.3 %'],
  [1n, 100_000n, '0.0 %'],
])('the console shows %d of %d rounded half up, as %s', (part, whole, text) => {
  expect(percentText(part, whole)).toBe(text);
});

const line = fc.record({
  quantity: fc.oneof(
    fc.nat(1_000_000_000),
    fc.nat(36_000_000).map((ms) => ms / 1000),
  ),
  price: fc.bigInt({ min: 0n, max: 10n ** 14n }),
  per: fc.constantFrom(1, 60, 3_600, 1_000_000),
});

it('the amounts of the lines and their rounding add up to the bill, by at most a nano-dollar a line', () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
      const total = amountOf(lines);
      const rounding = roundingOf(lines, total);
      expect(lines.reduce((sum, each) => sum + lineAmount(each), rounding)).toBe(total);
      expect(rounding >= 0n && rounding <= BigInt(lines.length)).toBe(true);
    }),
  );
});

it.each([
  ['input', 1_000_000, 'per 1,000,000 tokens'],
  ['image_input', 1_000_000, 'per 1,000,000 tokens'],
  ['character', 1_000_000, 'per 1,000,000 characters'],
  ['image:1024x1024', 1, 'per image'],
  ['request', 1, 'per call'],
  ['second', 1, 'per second'],
  ['second', 60, 'per 60 seconds'],
  ['feature:web_search', 1, 'each'],
])('the console names the unit of the price of %s, for %d: %s', (item, per, text) => {
  expect(perText({ item, per })).toBe(text);
});
