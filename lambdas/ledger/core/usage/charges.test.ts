import { expect, it } from '@jest/globals';
import { chargesBody, type DatedEntry, MAX_CHARGES } from './charges.ts';

const entry = (kind: DatedEntry['kind'], id: string, created: number, source = 'lst_1'): DatedEntry => ({
  kind,
  id,
  source,
  created,
  amount: 5n,
});

it('lists charges and refunds of a span, newest first, with the listing of each', () => {
  const entries = [
    entry('top_up', 'ord_1', 15, 'order'),
    entry('purchase', 'ch_1', 9),
    entry('purchase', 'sub_1#2', 10, 'lst_2'),
    entry('purchase_refund', 'sub_1#2#abc', 11, 'txn_1'),
    entry('purchase_refund', 'ch_1#4', 19, 'txn_2'),
    entry('purchase_refund', 'ch_0#4', 12, 'txn_3'),
    entry('purchase', 'ch_2', 20),
  ];
  const { charges, charges_omitted: omitted } = chargesBody(entries, { start: 10, end: 20 });
  expect(charges.map(({ id, type, listing_id, created }) => [id, type, listing_id, created])).toEqual([
    ['ch_1', 'refund', 'lst_1', 19],
    ['ch_0', 'refund', null, 12],
    ['sub_1#2', 'refund', 'lst_2', 11],
    ['sub_1#2', 'subscription', 'lst_2', 10],
  ]);
  expect(charges.map(({ amount }) => JSON.stringify(amount))).toEqual([
    '0.000000005',
    '0.000000005',
    '0.000000005',
    '-0.000000005',
  ]);
  expect(omitted).toBe(0);
});

it('counts the charges beyond the most that one statement lists', () => {
  const entries = Array.from({ length: MAX_CHARGES + 3 }, (_, at) => entry('purchase', `ch_${at}`, at));
  const { charges, charges_omitted: omitted } = chargesBody(entries, { start: 0, end: 10_000 });
  expect([charges.length, charges[0]?.id, omitted]).toEqual([MAX_CHARGES, `ch_${MAX_CHARGES + 2}`, 3]);
});
