import { describe, expect, it } from '@jest/globals';
import { number, readText, text } from '../../platform/dynamodb/attribute-values.ts';
import { ENTRY_KINDS } from '../core/ledger-entry.ts';
import { decodeEntry, ENTRY_RANGE, putEntry } from './ledger-entry.ts';

describe('a ledger entry', () => {
  it.each(ENTRY_KINDS)(
    'decodes to the values that were written, and its key is within the queried range: %s',
    (kind) => {
      const entryKey = { table: 'accounts', accountId: 'acc_1', created: 1 };
      const item =
        putEntry(entryKey, { kind, id: '1', amount: 5n, cash: -3n, source: 'test' }).Put?.Item ?? {};
      expect(decodeEntry(item)).toEqual({ kind, id: '1', amount: 5n, cash: -3n });
      const key = item.item?.S ?? '';
      expect(key > readText(ENTRY_RANGE, ':first') && key < readText(ENTRY_RANGE, ':last')).toBe(true);
    },
  );

  it.each(['account', 'order#ord_1', 'order_counts'])(
    'does not match another item of an account: %s',
    (key) => {
      expect(key < readText(ENTRY_RANGE, ':first') || key > readText(ENTRY_RANGE, ':last')).toBe(true);
      expect(() => decodeEntry({ item: text(key), amount: number(1) })).toThrow('no entry of the ledger');
    },
  );
});
