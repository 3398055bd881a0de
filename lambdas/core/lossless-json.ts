/** Reading of JSON that is written out again: no number loses digits on the way, as a double would make it. */

/** ECMAScript proposal "JSON.parse source text access", which the type library does not know yet. */
interface SourceText {
  rawJSON(text: string): unknown;
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
}

const { rawJSON, parse } = JSON as unknown as SourceText;

/** A double holds every number of 15 digits between 1e-300 and 1e300; a text without more is parsed as it is. */
const MAY_LOSE_DIGITS = /[\d.]{16}|\de[+-]?\d{3}/i;

/**
 * The value of a JSON text. A number that a double cannot hold comes as `JSON.rawJSON` of its own digits: an opaque
 * object that `JSON.stringify` writes as it was. Throws `SyntaxError`.
 */
export function parseJson(text: string): unknown {
  if (!MAY_LOSE_DIGITS.test(text)) return JSON.parse(text);
  return parse(text, (_key, value, { source }) => {
    if (typeof value !== 'number' || source === undefined) return value;
    return decimal(String(value)) === decimal(source) ? value : rawJSON(source);
  });
}

/** One form for all spellings of a number: its digits without zeros at either end, and the exponent of the last. */
function decimal(number: string): string {
  const [, sign, whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(number) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  const zeros = digits.length - significant.length;
  return `${sign}${significant}e${BigInt(exponent) - BigInt(fraction.length) + BigInt(zeros)}`;
}
