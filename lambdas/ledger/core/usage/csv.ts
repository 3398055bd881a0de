/**
 * The parts of a CSV (RFC 4180). Its columns have the names of FOCUS 1.0 (FinOps Foundation, June 2024) where they mean the
 * same; the others begin with `x_`, as that specification requires of columns of a provider.
 */

/** The forms of a response that may be a CSV. */
export const CSV_FORMATS = ['json', 'csv'] as const;

export const CSV_TYPE = 'text/csv; charset=utf-8';

/** Spreadsheets run a cell that begins with one of these as a formula (OWASP, CSV injection). */
const FORMULA = /^[=+\-@\t\r]/;

/** Returns a text as a cell that no spreadsheet runs. */
export function textCell(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export const csvLine = (cells: readonly string[]): string => `${cells.join(',')}\r\n`;

/** Returns a time in seconds since the epoch in UTC. */
export const isoTime = (seconds: number): string =>
  new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
