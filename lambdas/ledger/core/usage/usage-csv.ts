/** Usage records as CSV. */
import { formatUsd } from '../../../platform/core/money.ts';
import type { UsageRecord } from '../usage-record.ts';
import { type AccountCallsDependencies, listAccountCalls } from './account-calls.ts';
import { csvLine, isoTime, textCell } from './csv.ts';
import type { AccountKeys } from './ports.ts';
import type { UsageListQuery } from './queries.ts';

/** Records in memory at a time. */
const PAGE_RECORDS = 1_000;

type CellOf = (record: UsageRecord, keyNames: ReadonlyMap<string, string>) => string;

const COLUMNS: readonly (readonly [string, CellOf])[] = [
  ['BillingAccountId', ({ accountId }) => accountId],
  // A call is charged within the second in which it is settled.
  ['ChargePeriodStart', ({ created }) => isoTime(created)],
  ['ChargePeriodEnd', ({ created }) => isoTime(created + 1)],
  ['BilledCost', ({ cost }) => formatUsd(cost)],
  ['BillingCurrency', () => 'USD'],
  ['x_RequestId', ({ id }) => id],
  ['x_ApiKeyId', ({ keyId }) => keyId],
  ['x_ApiKeyName', ({ keyId }, names) => textCell(names.get(keyId) ?? '')],
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
  dependencies: AccountCallsDependencies & { readonly keys: Pick<AccountKeys, 'names'> },
  accountId: string,
  query: UsageListQuery,
): AsyncGenerator<string, void> {
  yield csvLine(COLUMNS.map(([name]) => name));
  const names = new Map<string, string>();
  for (let cursor = query.cursor, isLast = false; !isLast; ) {
    const page = await listAccountCalls(dependencies, accountId, { ...query, cursor, limit: PAGE_RECORDS });
    const unnamed = new Set(page.entries.map(({ keyId }) => keyId).filter((id) => !names.has(id)));
    for (const [id, name] of await dependencies.keys.names([...unnamed])) names.set(id, name);
    const lines = page.entries.map((record) => csvLine(COLUMNS.map(([, cellOf]) => cellOf(record, names))));
    if (lines.length > 0) yield lines.join('');
    isLast = page.next === undefined;
    cursor = page.next;
  }
}
