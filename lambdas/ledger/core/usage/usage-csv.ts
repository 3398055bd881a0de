/**
 * Usage records as CSV (RFC 4180), with the column names of FOCUS 1.0 (FinOps Foundation, June 2024) where they mean the same;
 * the others begin with `x_`, as that specification requires of columns of a provider.
 */
import { formatUsd } from '../../../platform/core/money.ts';
import type { UsageRecord } from '../usage-record.ts';
import { type AccountCallsDependencies, listAccountCalls } from './account-calls.ts';
import type { AccountUsageQuery } from './queries.ts';

export const CSV_TYPE = 'text/csv; charset=utf-8';

/** Records in memory at a time. */
const PAGE_RECORDS = 1_000;

/** Spreadsheets run a cell that begins with one of these as a formula (OWASP, CSV injection). */
const FORMULA = /^[=+\-@\t\r]/;

/** Returns a text as a cell that no spreadsheet runs. */
export function textCell(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const csvLine = (cells: readonly string[]): string => `${cells.join(',')}\r\n`;

const isoTime = (seconds: number): string => new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');

const COLUMNS: readonly (readonly [string, (record: UsageRecord) => string])[] = [
  ['BillingAccountId', ({ accountId }) => accountId],
  // A call is charged within the second in which it is settled.
  ['ChargePeriodStart', ({ created }) => isoTime(created)],
  ['ChargePeriodEnd', ({ created }) => isoTime(created + 1)],
  ['BilledCost', ({ cost }) => formatUsd(cost)],
  ['BillingCurrency', () => 'USD'],
  ['x_RequestId', ({ id }) => id],
  ['x_ApiKeyId', ({ keyId }) => keyId],
  ['x_Model', ({ model }) => textCell(model ?? '')],
  ['x_Kind', ({ kind }) => kind],
  ['x_Status', ({ status }) => status],
  ['x_InputUnits', ({ inputUnits }) => String(inputUnits)],
  ['x_CachedUnits', ({ cachedUnits }) => String(cachedUnits)],
  ['x_OutputUnits', ({ outputUnits }) => String(outputUnits)],
  ['x_Unit', ({ unit }) => unit],
  ['x_Estimated', ({ estimated }) => String(estimated)],
  ['x_Route', ({ route }) => textCell(route ?? '')],
];

/** Yields the calls of an account as CSV, newest first, a page at a time: all that match, whatever the limit of the query. */
export async function* callsCsv(
  dependencies: AccountCallsDependencies,
  accountId: string,
  query: AccountUsageQuery,
): AsyncGenerator<string, void> {
  yield csvLine(COLUMNS.map(([name]) => name));
  for (let cursor = query.cursor, isLast = false; !isLast; ) {
    const page = await listAccountCalls(dependencies, accountId, { ...query, cursor, limit: PAGE_RECORDS });
    const lines = page.entries.map((record) => csvLine(COLUMNS.map(([, cellOf]) => cellOf(record))));
    if (lines.length > 0) yield lines.join('');
    isLast = page.next === undefined;
    cursor = page.next;
  }
}
