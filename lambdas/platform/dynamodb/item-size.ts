/** The size of an item, as DynamoDB counts it (developer guide: item sizes). */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Item } from './attribute-values.ts';

/** Bytes of an item: of its names and of its values. */
export const bytesOf = (item: Item): number =>
  Object.entries(item).reduce(
    (total, [name, value]) => total + Buffer.byteLength(name) + valueBytes(value),
    0,
  );

/** Returns the size of a number: one byte for two digits, one more byte, and one for the sign of a negative number. */
function numberBytes(text: string): number {
  const digits = text.replace(/[-+.]/g, '').replace(/^0+|0+$/g, '');
  return Math.ceil(digits.length / 2) + 1 + (text.startsWith('-') ? 1 : 0);
}

/** A map takes three bytes, and one more for each of its values; the items that are measured have no lists or sets. */
function valueBytes(value: AttributeValue): number {
  if (value.S !== undefined) return Buffer.byteLength(value.S);
  if (value.N !== undefined) return numberBytes(value.N);
  if (value.BOOL !== undefined) return 1;
  if (value.M !== undefined) return 3 + bytesOf(value.M) + Object.keys(value.M).length;
  throw new Error(`the size of ${Object.keys(value)} is not known`);
}
