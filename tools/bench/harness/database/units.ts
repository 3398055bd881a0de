/** Write units, as DynamoDB counts them (developer guide: item sizes, and read and write operations). */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Item } from '../../../../lambdas/platform/dynamodb/attribute-values.ts';

const WRITE_BYTES = 1024;

/** A transaction prepares and commits: each of its items costs twice as much. */
export const TRANSACTION_FACTOR = 2;

/** Bytes of an item: of its names and of its values. */
const itemBytes = (item: Item): number =>
  Object.entries(item).reduce(
    (total, [name, value]) => total + Buffer.byteLength(name) + valueBytes(value),
    0,
  );

/** Returns the size of a number: one byte for two digits, one more byte, and one for the sign of a negative number. */
function numberBytes(text: string): number {
  const digits = text.replace(/[-+.]/g, '').replace(/^0+|0+$/g, '');
  return Math.ceil(digits.length / 2) + 1 + (text.startsWith('-') ? 1 : 0);
}

/** A map and a list take three bytes, and one more for each of their values. */
function valueBytes(value: AttributeValue): number {
  if (value.S !== undefined) return Buffer.byteLength(value.S);
  if (value.N !== undefined) return numberBytes(value.N);
  if (value.B !== undefined) return value.B.length;
  if (value.M !== undefined) return 3 + itemBytes(value.M) + Object.keys(value.M).length;
  if (value.L !== undefined) return 3 + value.L.reduce((total, each) => total + valueBytes(each) + 1, 0);
  if (value.SS !== undefined) return value.SS.reduce((total, each) => total + Buffer.byteLength(each), 0);
  if (value.NS !== undefined) return value.NS.reduce((total, each) => total + numberBytes(each), 0);
  return 1;
}

/** Units of a write: one for each started KB of the larger of the item before and after it. At least 1. */
export const writeUnits = (before: Item | undefined, after: Item | undefined): number =>
  Math.max(1, Math.ceil(Math.max(bytesOf(before), bytesOf(after)) / WRITE_BYTES));

export const bytesOf = (item: Item | undefined): number => (item === undefined ? 0 : itemBytes(item));
