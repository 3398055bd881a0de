/** DynamoDB attribute values by hand: numbers stay text, so that money never passes through floating point. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';

export type Item = Record<string, AttributeValue>;

export const text = (value: string): AttributeValue => ({ S: value });
export const number = (value: number | bigint): AttributeValue => ({ N: String(value) });
export const map = (value: Item): AttributeValue => ({ M: value });

/** Readers throw an error that names the attribute: an item of another shape is a broken table, not a bad request. */
export function readText(item: Item, name: string): string {
  const value = item[name]?.S;
  if (value === undefined) throw new Error(`attribute ${name} is not a string`);
  return value;
}

export function readInteger(item: Item, name: string): bigint {
  const value = item[name]?.N;
  if (value === undefined || !/^-?\d+$/.test(value)) throw new Error(`attribute ${name} is not an integer`);
  return BigInt(value);
}

/** A count that need not be whole, such as seconds of audio. */
export function readDecimal(item: Item, name: string): number {
  const value = Number(item[name]?.N);
  if (!Number.isFinite(value)) throw new Error(`attribute ${name} is not a number`);
  return value;
}

export const readNumber = (item: Item, name: string): number => Number(readInteger(item, name));

export function readMap(item: Item, name: string): Item {
  const value = item[name]?.M;
  if (value === undefined) throw new Error(`attribute ${name} is not a map`);
  return value;
}
