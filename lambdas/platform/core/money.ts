/** Money as integers of nano-USD (1 credit = 1 USD = 1e9): parsing, printing and the one rounding. */
import { type RawJson, rawJson } from './json/lossless-json.ts';

/** An amount in nano-USD; never a floating-point number. */
export type NanoUsd = bigint;

export const NANO_PER_USD = 1_000_000_000n;
export const NANO_PER_CENT = NANO_PER_USD / 100n;

/** Longer than any amount with all its places; computing with a million digits takes seconds. */
export const MAX_AMOUNT_LENGTH = 32;

/** JSON's number grammar (RFC 8259, section 6). */
const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/;

/**
 * Reads a decimal USD amount exactly. A number is read through its shortest decimal form, which is the text
 * the caller wrote for any amount of up to 15 digits. Returns undefined for what is not a decimal, needs more than
 * 9 decimal places, or is longer than `MAX_AMOUNT_LENGTH`.
 */
export function parseUsd(input: string | number): NanoUsd | undefined {
  const text = String(input);
  const match = text.length > MAX_AMOUNT_LENGTH ? null : DECIMAL.exec(text);
  if (match === null) return undefined;
  const [, sign = '', integer = '', fraction = '', exponent = '0'] = match;
  const places = 9 + Number(exponent) - fraction.length;
  let digits = BigInt(integer + fraction);
  if (places >= 0) {
    digits *= 10n ** BigInt(places);
  } else {
    const divisor = 10n ** BigInt(-places);
    if (digits % divisor !== 0n) return undefined;
    digits /= divisor;
  }
  return sign === '-' ? -digits : digits;
}

/** A number as the exact fraction that its shortest decimal form spells. Throws for what is not a finite number. */
export function toFraction(value: number): { readonly numerator: bigint; readonly denominator: bigint } {
  if (Number.isSafeInteger(value)) return { numerator: BigInt(value), denominator: 1n };
  const [, sign = '', integer = '', fraction = '', exponent = '0'] = DECIMAL.exec(String(value)) ?? [];
  if (integer === '') throw new Error('not a finite number');
  const digits = BigInt(`${sign}${integer}${fraction}`);
  const places = fraction.length - Number(exponent);
  return places >= 0
    ? { numerator: digits, denominator: 10n ** BigInt(places) }
    : { numerator: digits * 10n ** BigInt(-places), denominator: 1n };
}

/** Prints an amount as a decimal with as many of the 9 places as it needs: `0.000012`, `10`. */
export function formatUsd(amount: NanoUsd): string {
  const sign = amount < 0n ? '-' : '';
  const magnitude = amount < 0n ? -amount : amount;
  const fraction = String(magnitude % NANO_PER_USD)
    .padStart(9, '0')
    .replace(/0+$/, '');
  return `${sign}${magnitude / NANO_PER_USD}${fraction === '' ? '' : `.${fraction}`}`;
}

/** The lesser of two amounts. */
export const least = (a: NanoUsd, b: NanoUsd): NanoUsd => (a < b ? a : b);

/** The greater of two amounts. */
export const greatest = (a: NanoUsd, b: NanoUsd): NanoUsd => (a > b ? a : b);

/** Division rounded up, for non-negative amounts: the service never loses a fraction of a nano-dollar. */
export function divideUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}

/** Rounds a non-negative amount down to whole cents. */
export const wholeCents = (amount: NanoUsd): NanoUsd => amount - (amount % NANO_PER_CENT);

/** An amount as an exact JSON number, whatever its size. */
export function usdJson(amount: NanoUsd): RawJson {
  return rawJson(formatUsd(amount));
}

/** An amount in whole cents. Throws for a fraction of a cent. */
export function toCents(amount: NanoUsd): number {
  if (amount % NANO_PER_CENT !== 0n) throw new Error('not a whole number of cents');
  return Number(amount / NANO_PER_CENT);
}

/** An amount as the value of a metric. A double loses the last digits above 2^53 nano-USD: never compute with it. */
export const toMetric = (amount: NanoUsd): number => Number(amount);
