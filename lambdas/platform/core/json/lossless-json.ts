/** Parser for JSON that is written out again: integers do not lose the digits that a double would drop. */

/** A JSON object, as opposed to a number that is stored as its text. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** ECMAScript proposal "JSON.parse source text access", which the type library does not contain yet. */
interface SourceText {
  rawJSON(text: string): RawJson;
  isRawJSON(value: unknown): boolean;
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
}

const { rawJSON, isRawJSON, parse } = JSON as unknown as SourceText;

declare const raw: unique symbol;

/** The text of a number as a value: an opaque object that `JSON.stringify` writes unchanged. */
export interface RawJson {
  readonly [raw]: true;
}

export const rawJson = (number: string): RawJson => rawJSON(number);

/** Returns whether a value is a JSON object. An array is not, nor is a number that is stored as `rawJson`. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawJSON(value);

/**
 * Matches a number of 16 digits or more at a position where a number may start. A text without a match is parsed
 * directly, because a reviver makes that several times slower. Digits after a decimal point do not match, nor do most
 * runs of digits within strings.
 */
const MAY_HOLD_LONG_INTEGER = /(?:^|[[:,\s-])\d{16}/;

const INTEGER = /^-?\d+$/;

/**
 * Returns the value of a JSON text. `convert` converts the digits of an integer that a double may not represent; default:
 * `rawJson`. All others are plain numbers. Throws `SyntaxError`.
 */
export function parseJson(text: string, convert: (digits: string) => unknown = rawJson): unknown {
  if (!MAY_HOLD_LONG_INTEGER.test(text)) return JSON.parse(text);
  return parse(text, (_key, value, { source = '' }) => {
    const isLost = typeof value === 'number' && !Number.isSafeInteger(value) && INTEGER.test(source);
    return isLost ? convert(source) : value;
  });
}

/** Far deeper than any schema or argument is; from a few thousand levels on, JSON cannot be written any more. */
export const MAX_DEPTH = 200;

/**
 * Returns whether a value is nested deeper than `MAX_DEPTH` levels. It checks level by level, because deep recursion
 * exhausts the stack.
 */
export function isTooDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap((inner) =>
      typeof inner === 'object' && inner !== null ? Object.values(inner).filter(isNested) : [],
    );
  }
  return false;
}

const isNested = (value: unknown): boolean => typeof value === 'object' && value !== null;
