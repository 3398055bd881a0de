/** The size of a JSON text as a structure, measured before it is parsed: number of values and depth. */
import { ServiceError } from '../errors.ts';
import { MAX_DEPTH } from './lossless-json.ts';

/**
 * Values of one body, those within others counted too. A conversation that fills a context of a million tokens has some
 * tens of thousands; each value may cost a few hundred bytes and a microsecond to read, to check and to complain of.
 */
export const MAX_VALUES = 100_000;

/**
 * The maximum digits of a number. No amount, count or token id has more, and a number of millions of digits costs
 * seconds of computation.
 */
const MAX_DIGITS = 400;

/**
 * The number of digits from which an integer is stored as text (`lossless-json.ts`), which takes the memory of ten
 * other values.
 */
const LONG = 16;
const LONG_COUNTS = 9;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/**
 * Throws 400 `invalid_json` for a body that is nested too deep, and 400 `invalid_value` for one of too many values or too
 * long a number, with the field of the body that it is in. One pass, which makes nothing; texts are passed over.
 */
export function checkShape(text: string): void {
  let depth = 0;
  let values = 1;
  let digits = 0;
  let name = { start: 0, end: 0 };
  let last = name;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code >= 0x30 && code <= 0x39) {
      digits += 1;
      if (digits === LONG && text[at - LONG] !== '.') values += LONG_COUNTS;
      if (digits > MAX_DIGITS)
        throw tooMuch(`has a number of more than ${MAX_DIGITS} digits`, fieldOf(text, name));
      continue;
    }
    digits = 0;
    if (code === QUOTE) {
      const end = endOfText(text, at);
      if (depth === 1) last = { start: at, end };
      at = end;
    } else if (code === COMMA) values += 1;
    else if (code === COLON) {
      if (depth === 1) name = last;
    } else if (OPENING.has(code)) {
      depth += 1;
      values += 1;
      if (depth > MAX_DEPTH) {
        throw new ServiceError('invalid_json', `The body is nested deeper than ${MAX_DEPTH} levels.`);
      }
    } else if (CLOSING.has(code)) depth -= 1;
    if (values > MAX_VALUES) throw tooMuch(`has more than ${MAX_VALUES} values`, fieldOf(text, name));
  }
}

/** Returns the index of the end of the string that starts at a quotation mark. */
function endOfText(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return at;
  }
  return text.length;
}

/** A field of a message is shown in full only if it is as short as names are. */
const MAX_NAME = 64;

function fieldOf(
  text: string,
  { start, end }: { readonly start: number; readonly end: number },
): string | undefined {
  const name = text.slice(start + 1, end);
  return name === '' || name.length > MAX_NAME ? undefined : name;
}

function tooMuch(what: string, field: string | undefined): ServiceError {
  return field === undefined
    ? new ServiceError('invalid_value', `The body ${what}.`)
    : new ServiceError('invalid_value', `${field}: ${what}, or the fields before it have.`, { param: field });
}
