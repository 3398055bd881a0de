/** The statement of an account's credit as CSV: the lines from the opening to the closing balance, then the charges. */
import type { Body } from '../../../platform/core/api/response-schema.ts';
import { csvLine, isoTime, textCell } from './csv.ts';
import type { statementSchema } from './statement.ts';

/** Amounts are changes of credit, not costs, so that `BilledCost` would mean something else. */
const COLUMNS = [
  'BillingAccountId',
  'ChargePeriodStart',
  'ChargePeriodEnd',
  'BillingCurrency',
  'x_Line',
  'x_Amount',
  'x_ChargeId',
  'x_ChargeType',
  'x_ListingId',
  'x_Count',
] as const;

type Cells = Partial<Record<(typeof COLUMNS)[number], string>>;

export function statementCsv(accountId: string, statement: Body<typeof statementSchema>): string {
  const { start, end, charges, charges_omitted: omitted, ...lines } = statement;
  const common = { BillingAccountId: accountId, BillingCurrency: 'USD' };
  const span = { ...common, ChargePeriodStart: isoTime(start), ChargePeriodEnd: isoTime(end) };
  const rows: readonly Cells[] = [
    ...Object.entries(lines).map(([line, amount]) => ({
      ...span,
      x_Line: line,
      x_Amount: JSON.stringify(amount),
    })),
    ...charges.map(({ id, type, listing_id: listing, amount, created }) => ({
      ...common,
      ChargePeriodStart: isoTime(created),
      ChargePeriodEnd: isoTime(created + 1),
      x_Line: 'charge',
      x_Amount: JSON.stringify(amount),
      x_ChargeId: textCell(id),
      x_ChargeType: type,
      x_ListingId: textCell(listing ?? ''),
    })),
    { ...span, x_Line: 'charges_omitted', x_Count: String(omitted) },
  ];
  return [COLUMNS, ...rows.map((row) => COLUMNS.map((column) => row[column] ?? ''))].map(csvLine).join('');
}
