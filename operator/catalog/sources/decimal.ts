/** Amounts of USD in price lists, from their text: moved by powers of ten and never through a double. */
import { type NanoUsd, parseUsd } from '../../../lambdas/platform/core/money.ts';

/** JSON's number grammar (RFC 8259, section 6). */
const NUMBER = /^(-?\d+(?:\.\d+)?)(?:[eE]([+-]?\d{1,3}))?$/;

/**
 * A decimal times a power of ten, in nano-USD: `("1.25e-06", 6)` is 1.25 USD. Undefined when the text is not a decimal
 * or needs more than 9 decimal places then.
 */
export function amountOf(text: string, power = 0): NanoUsd | undefined {
  const [, mantissa, exponent = '0'] = NUMBER.exec(text) ?? [];
  return mantissa === undefined ? undefined : parseUsd(`${mantissa}e${Number(exponent) + power}`);
}

/** ECMAScript proposal "JSON.parse source text access", which the type library does not contain yet. */
type ParseWithSource = (
  text: string,
  reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
) => unknown;

/** The value of a JSON text with every number as its own text, so that none loses a digit. Throws `SyntaxError`. */
export const parseNumbersAsText = (json: string): unknown =>
  (JSON.parse as ParseWithSource)(json, (_key, value, { source }) =>
    typeof value === 'number' ? (source ?? String(value)) : value,
  );
