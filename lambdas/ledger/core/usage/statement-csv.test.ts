import { describe, expect, it } from '@jest/globals';
import { parseUsd } from '../../../platform/core/money.ts';
import { type DatedEntry, MAX_CHARGES } from './charges.ts';
import { statementBody } from './statement.ts';
import { statementCsv } from './statement-csv.ts';

const SECOND_OF_DAY_1 = 86_400;

const entry = (kind: DatedEntry['kind'], id: string, amount: bigint, source: string): DatedEntry => ({
  kind,
  id,
  source,
  amount,
  created: SECOND_OF_DAY_1,
});

/** The rows of the CSV of one day by the names of their columns. No cell of these has a comma. */
function rowsOf(entries: readonly DatedEntry[]): readonly Readonly<Record<string, string>>[] {
  const wallet = { balance: 5_000_000_001n, holds: [], debt: 0n };
  const history = { wallet, entries, usage: new Map([[1, 7n]]) } as unknown as Parameters<
    typeof statementBody
  >[0];
  const csv = statementCsv('acc_1', statementBody(history, { start: 1, end: 2 }));
  const [head = [], ...rows] = csv
    .trimEnd()
    .split('\r\n')
    .map((line) => line.split(','));
  return rows.map((row) => Object.fromEntries(head.map((name, at) => [name, row[at] ?? 'missing'])));
}

const nano = (text = ''): bigint => (text.startsWith('-') ? -nano(text.slice(1)) : (parseUsd(text) ?? -1n));

describe('a statement as CSV', () => {
  it('adds up from the opening to the closing balance, to the nano-dollar, with each charge once', () => {
    const rows = rowsOf([
      entry('top_up', 'ord_1', 9_000_000_009n, 'order'),
      entry('purchase', 'ch_1', 4_000_000_001n, '=cmd'),
      entry('purchase_refund', 'ch_1#1', 3n, 'txn_1'),
    ]);
    const amounts = new Map(rows.map(({ x_Line = '', x_Amount }) => [x_Line, nano(x_Amount)]));
    const { opening = 0n, closing, charge: _, charges_omitted: __, ...lines } = Object.fromEntries(amounts);
    expect(closing).toBe(5_000_000_001n);
    expect(Object.values(lines).reduce((sum, amount) => sum + amount, opening)).toBe(closing);
    expect(lines).toMatchObject({ purchases: -4_000_000_001n, purchase_refunds: 3n, usage: -7n });
    const charges = rows.filter(({ x_Line }) => x_Line === 'charge');
    expect(charges.map(({ x_ChargeType, x_Amount }) => [x_ChargeType, x_Amount])).toEqual([
      ['purchase', '-4.000000001'],
      ['refund', '0.000000003'],
    ]);
    expect(charges[0]).toMatchObject({
      BillingAccountId: 'acc_1',
      ChargePeriodStart: '1970-01-02T00:00:00Z',
      ChargePeriodEnd: '1970-01-02T00:00:01Z',
      x_ChargeId: 'ch_1',
      x_ListingId: "'=cmd",
    });
  });

  it('states how many older charges it leaves out', () => {
    const entries = Array.from({ length: MAX_CHARGES + 3 }, (_, at) =>
      entry('purchase', `ch_${at}`, 1n, 'lst_1'),
    );
    const rows = rowsOf(entries);
    expect(rows.filter(({ x_Line }) => x_Line === 'charge')).toHaveLength(MAX_CHARGES);
    expect(rows.at(-1)).toMatchObject({ x_Line: 'charges_omitted', x_Count: '3', x_Amount: '' });
    expect(rowsOf([]).at(-1)).toMatchObject({ x_Line: 'charges_omitted', x_Count: '0' });
  });
});
