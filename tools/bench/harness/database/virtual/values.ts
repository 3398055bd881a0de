/** Attribute values as DynamoDB compares, adds and measures them. Numbers stay text, exact at any length. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Item } from '../../../../../lambdas/platform/dynamodb/attribute-values.ts';

const SHORT_INTEGER = /^-?\d{1,15}$/;
const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/;

/** A number as an integer and the power of ten that divides it. */
interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

function decimal(text: string): Decimal {
  const [, sign, whole = '', part = '', exponent = '0'] = DECIMAL.exec(text) ?? [];
  if (sign === undefined || whole + part === '') throw new Error(`not a number: ${text}`);
  const digits = BigInt(`${sign === '-' ? '-' : ''}${whole}${part}`);
  const scale = part.length - Number(exponent);
  return scale < 0 ? { digits: digits * 10n ** BigInt(-scale), scale: 0 } : { digits, scale };
}

/** Two numbers as integers of one scale. */
function aligned(a: string, b: string): readonly [a: bigint, b: bigint, scale: number] {
  const [x, y] = [decimal(a), decimal(b)];
  const scale = Math.max(x.scale, y.scale);
  return [x.digits * 10n ** BigInt(scale - x.scale), y.digits * 10n ** BigInt(scale - y.scale), scale];
}

function write(digits: bigint, scale: number): string {
  if (scale === 0) return String(digits);
  const sign = digits < 0n ? '-' : '';
  const text = String(digits < 0n ? -digits : digits).padStart(scale + 1, '0');
  const [whole, part] = [text.slice(0, -scale), text.slice(-scale).replace(/0+$/, '')];
  return `${sign}${whole}${part === '' ? '' : `.${part}`}`;
}

/** Without leading or trailing zeros, as DynamoDB stores a number. */
const normalized = (text: string): string =>
  /^(0|-?[1-9]\d*)$/.test(text) ? text : write(decimal(text).digits, decimal(text).scale);

/** The sum, or with `sign` -1 the difference. */
export function sum(a: string, b: string, sign: 1 | -1): string {
  if (SHORT_INTEGER.test(a) && SHORT_INTEGER.test(b)) return String(Number(a) + sign * Number(b));
  const [x, y, scale] = aligned(a, b);
  return write(x + BigInt(sign) * y, scale);
}

function compareNumbers(a: string, b: string): number {
  if (SHORT_INTEGER.test(a) && SHORT_INTEGER.test(b)) return Number(a) - Number(b);
  const [x, y] = aligned(a, b);
  return x < y ? -1 : x > y ? 1 : 0;
}

/** By UTF-8 bytes. */
export const compareStrings = (a: string, b: string): number =>
  a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));

/** Less than 0, 0 or more than 0; undefined for values that have no order between them. */
export function compare(a: AttributeValue, b: AttributeValue): number | undefined {
  if (a.N !== undefined && b.N !== undefined) return compareNumbers(a.N, b.N);
  if (a.S !== undefined && b.S !== undefined) return compareStrings(a.S, b.S);
  if (a.B !== undefined && b.B !== undefined) return Buffer.compare(a.B, b.B);
  return undefined;
}

/** Returns whether the values have one type and are equal; sets and maps in any order. */
export function equal(a: AttributeValue, b: AttributeValue): boolean {
  const order = compare(a, b);
  if (order !== undefined) return order === 0;
  if (a.BOOL !== undefined) return a.BOOL === b.BOOL;
  if (a.NULL !== undefined) return b.NULL !== undefined;
  if (a.M !== undefined && b.M !== undefined) return equalMaps(a.M, b.M);
  if (a.L !== undefined && b.L !== undefined) {
    const other = b.L;
    return a.L.length === other.length && a.L.every((value, at) => equalOptional(value, other[at]));
  }
  return equalSets(a.SS, b.SS) || equalSets(a.NS?.map(normalized), b.NS?.map(normalized));
}

const equalOptional = (a: AttributeValue | undefined, b: AttributeValue | undefined): boolean =>
  a !== undefined && b !== undefined && equal(a, b);

const equalMaps = (a: Item, b: Item): boolean =>
  Object.keys(a).length === Object.keys(b).length &&
  Object.keys(a).every((name) => equalOptional(a[name], b[name]));

const equalSets = (a: readonly string[] | undefined, b: readonly string[] | undefined): boolean =>
  a !== undefined && b !== undefined && a.length === b.length && a.every((value) => b.includes(value));

/** Returns whether a string contains a substring, or a set or list an element. */
export function contains(whole: AttributeValue, part: AttributeValue): boolean {
  if (whole.S !== undefined) return part.S !== undefined && whole.S.includes(part.S);
  if (whole.SS !== undefined) return part.S !== undefined && whole.SS.includes(part.S);
  if (whole.NS !== undefined) return whole.NS.some((value) => equal({ N: value }, part));
  return (whole.L ?? []).some((value) => equal(value, part));
}

/** Returns the result of the `size` function; undefined for a value without a size. */
export function sizeOf(value: AttributeValue): number | undefined {
  if (value.S !== undefined) return Buffer.byteLength(value.S);
  if (value.M !== undefined) return Object.keys(value.M).length;
  return (value.B ?? value.SS ?? value.NS ?? value.BS ?? value.L)?.length;
}

/** The value with its numbers as they are stored; the same object where nothing changes. */
export function stored(value: AttributeValue): AttributeValue {
  if (value.N !== undefined) return normalized(value.N) === value.N ? value : { N: normalized(value.N) };
  if (value.M !== undefined) return { M: storedItem(value.M) };
  if (value.L !== undefined) return { L: value.L.map(stored) };
  return value;
}

export const storedItem = (item: Item): Item =>
  Object.fromEntries(Object.entries(item).map(([name, value]) => [name, stored(value)]));
