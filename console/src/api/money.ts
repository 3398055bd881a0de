/** Amounts of money on the screen: nano-USD as `bigint`, read from JSON's own digits and shown to the last of them. */

import type { BillLine } from '../../../lambdas/ledger/core/usage-record.ts';

/** 1 USD in nano-USD. */
const NANO = 1_000_000_000n;
const DECIMALS = 9;

/**
 * A decimal number as JSON writes it (RFC 8259, section 6), in USD, as nano-USD. Digits below a nano-dollar are dropped.
 * Throws for what is no number.
 */
export function parseUsd(text: string): bigint {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d{1,3}))?$/i.exec(text.trim()) ?? [];
  if (whole === '') throw new Error(`${text} is no amount`);
  const shift = DECIMALS - fraction.length + Number(exponent);
  const digits = BigInt(whole + fraction);
  const amount = shift >= 0 ? digits * 10n ** BigInt(shift) : digits / 10n ** BigInt(-shift);
  return sign === '-' ? -amount : amount;
}

interface UsdParts {
  /** `-$1,234.50`: always two decimals. */
  readonly cents: string;
  /** The digits after the cents, without trailing zeros: `0123`. */
  readonly rest: string;
}

/** An amount in two parts, which together are all of its digits. */
export function usdParts(nano: bigint): UsdParts {
  const size = nano < 0n ? -nano : nano;
  const fraction = String(size % NANO).padStart(DECIMALS, '0');
  const whole = String(size / NANO).replaceAll(/\B(?=(\d{3})+$)/g, ',');
  return {
    cents: `${nano < 0n ? '-' : ''}$${whole}.${fraction.slice(0, 2)}`,
    rest: fraction.slice(2).replace(/0+$/, ''),
  };
}

/** An amount with all of its digits: `$0.00001635`. */
export function usdText(nano: bigint): string {
  const { cents, rest } = usdParts(nano);
  return cents + rest;
}

/** An amount as a number of USD, for the height of a bar and nothing else. */
export const usdNumber = (nano: bigint): number => Number(nano) / Number(NANO);

/** An amount as decimal text without sign or separators, as a field takes it: `1.5`. */
export function usdField(nano: bigint): string {
  const { cents, rest } = usdParts(nano);
  return (cents + rest).replaceAll(/[$,]/g, '').replace(/\.?0+$/, '');
}

/** Cents as the text of a field in USD: `1.50`. */
export const centsField = (cents: number): string => (cents / 100).toFixed(2);

/** The text of a field in USD, with at most two decimals, as cents. */
export const centsOf = (usd: string): number => Math.round(Number(usd) * 100);

/** More decimals than a quantity has: seconds have three. */
const QUANTITY_PARTS = 1_000_000_000;

/** The amount of a line of a bill, rounded down to a nano-dollar. */
export const lineAmount = ({ quantity, price, per }: Omit<BillLine, 'item'>): bigint =>
  (BigInt(Math.round(quantity * QUANTITY_PARTS)) * price) / (BigInt(per) * BigInt(QUANTITY_PARTS));

/** `20.9 %`: a part of an amount above 0, rounded half up to a tenth of a percent. */
export function percentText(part: bigint, whole: bigint): string {
  const tenths = (2_000n * part + whole) / (2n * whole);
  return `${tenths / 10n}.${tenths % 10n} %`;
}

/** The part of a total that its lines do not have, because the service rounds their exact sum up once. */
export const roundingOf = (lines: readonly Omit<BillLine, 'item'>[], total: bigint): bigint =>
  lines.length === 0 ? 0n : lines.reduce((rest, line) => rest - lineAmount(line), total);

/** The units that items of their own name are counted in; other items are counted in tokens. */
const ITEM_UNITS: Readonly<Record<string, string>> = {
  request: 'call',
  second: 'second',
  character: 'character',
};

/** `per 1,000,000 tokens`: what the price of a line is for. */
export function perText({ item, per }: Pick<BillLine, 'item' | 'per'>): string {
  if (item.startsWith('feature:')) return 'each';
  const unit = item.startsWith('image:') ? 'image' : (ITEM_UNITS[item] ?? 'token');
  return per === 1 ? `per ${unit}` : `per ${per.toLocaleString('en-US')} ${unit}s`;
}
