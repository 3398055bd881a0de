/** Reading of JSON that is written out again: no whole number loses digits on the way, as a double would make it. */

/** An object of JSON, as opposed to a number that is kept as its text. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** ECMAScript proposal "JSON.parse source text access", which the type library does not know yet. */
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

/** A number's text as a value: an opaque object that `JSON.stringify` writes as it is given. */
export interface RawJson {
  readonly [raw]: true;
}

export const rawJson = (number: string): RawJson => rawJSON(number);

/** Returns whether a value is an object of JSON. An array is not, nor is a number that is kept as `rawJson`. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawJSON(value);

/**
 * A number of 16 digits or more where a number may begin; without one a text is parsed as it is, because a reviver
 * makes that several times slower. Digits after a point are not found, nor are most runs of digits within texts.
 */
const MAY_HOLD_LONG_INTEGER = /(?:^|[[:,\s-])\d{16}/;

const INTEGER = /^-?\d+$/;

/**
 * The value of a JSON text. A whole number that a double may not hold comes as `keep` makes it of its own digits:
 * `rawJson`, if nothing else is said. All others are plain numbers. Throws `SyntaxError`.
 */
export function parseJson(text: string, keep: (digits: string) => unknown = rawJson): unknown {
  if (!MAY_HOLD_LONG_INTEGER.test(text)) return JSON.parse(text);
  return parse(text, (_key, value, { source = '' }) => {
    const isLost = typeof value === 'number' && !Number.isSafeInteger(value) && INTEGER.test(source);
    return isLost ? keep(source) : value;
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
