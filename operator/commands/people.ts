/**
 * The output of a command for a person: its fields line by line, its lists as tables, with times as dates and the unit of
 * amounts. `--json` has the same for programs.
 */
import { isJsonObject, type JsonObject } from '../../lambdas/platform/core/json/lossless-json.ts';

const isTable = (value: unknown): value is readonly JsonObject[] =>
  Array.isArray(value) && value.length > 0 && value.every(isJsonObject);

/** Customers choose names and addresses: a control character in one would act on the terminal. */
const plain = (text: string): string =>
  text.replaceAll(
    /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** The fields whose numbers are times in seconds since 1970. */
const TIMES: ReadonlySet<string> = new Set([
  'created',
  'expires',
  'last_used',
  'operator_since',
  'previous_secret_expires',
  'scanned',
  'since',
]);

/** Returns whether a value is an amount of money, which is the one number that outputs have as its text. */
const isAmount = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isJsonObject(value);

/** Returns the name of values, with the unit of amounts that it does not name. */
const labelOf = (name: string, values: readonly unknown[]): string =>
  values.some(isAmount) && !name.endsWith('_usd') ? `${plain(name)} (USD)` : plain(name);

function cellOf(value: unknown, fieldName = ''): string {
  if (value === null || value === undefined) return '-';
  if (typeof value === 'number' && TIMES.has(fieldName)) return new Date(value * 1000).toISOString();
  if (typeof value === 'string') return value === '' ? '-' : plain(value);
  if (Array.isArray(value)) return value.map((each) => cellOf(each)).join(', ') || '-';
  if (!isJsonObject(value)) return JSON.stringify(value);
  return (
    Object.entries(value)
      .map(([name, each]) => `${labelOf(name, [each])} ${cellOf(each, name)}`)
      .join(', ') || '-'
  );
}

const IS_NUMBER = /^(-|-?\d+(\.\d+)?)$/;

/** Returns the rows with columns of one width each; numbers end in one column. The first row is the head. */
function aligned(rows: readonly (readonly string[])[]): string {
  const columns = (rows[0] ?? []).map((_, at) => {
    const cells = rows.map((row) => row[at] ?? '');
    return {
      width: Math.max(...cells.map(({ length }) => length)),
      isNumeric: cells.slice(1).every((text) => IS_NUMBER.test(text)),
    };
  });
  return rows
    .map((row) =>
      columns
        .map(({ width, isNumeric }, at) => row[at]?.[isNumeric ? 'padStart' : 'padEnd'](width))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function tableOf(rows: readonly JsonObject[]): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const head = names.map((name) =>
    labelOf(
      name,
      rows.map((row) => row[name]),
    ),
  );
  return aligned([head, ...rows.map((row) => names.map((name) => cellOf(row[name], name)))]);
}

/** Returns the lines of a field: one for each field in it, and for each text of a list. */
function linesOf(name: string, value: unknown, within = ''): readonly (readonly [string, string])[] {
  const path = `${within}${name}`;
  if (isJsonObject(value) && Object.keys(value).length > 0)
    return Object.entries(value).flatMap(([inner, each]) => linesOf(inner, each, `${path}.`));
  if (!Array.isArray(value)) return [[labelOf(path, [value]), cellOf(value, name)]];
  const [first, ...rest] = value;
  return [[labelOf(path, value), cellOf(first)], ...rest.map((each) => ['', cellOf(each)] as const)];
}

/** The fields first, then each list with its name above it. */
export function forPeople(output: JsonObject): string {
  const entries = Object.entries(output);
  const fields = entries.flatMap(([name, value]) => (isTable(value) ? [] : linesOf(name, value)));
  const width = Math.max(0, ...fields.map(([name]) => name.length));
  const tables = entries.flatMap(([name, value]) => (isTable(value) ? [`${name}\n${tableOf(value)}`] : []));
  const lines = fields.map(([name, text]) => `${name.padEnd(width)}  ${text}`);
  return [...(lines.length === 0 ? [] : [lines.join('\n')]), ...tables].join('\n\n');
}
