/** Ledger entries of an account as items of its partition: `<kind>#<id>`. */
import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { type Item, number, readInteger, readText, text } from '../../platform/dynamodb/attribute-values.ts';
import { ENTRY_KINDS, type EntryKind, type LedgerEntry } from '../core/ledger-entry.ts';

/** The location of an entry. `created` is in seconds since the epoch. */
export interface EntryLocation {
  /** The table of accounts. */
  readonly table: string;
  readonly accountId: string;
  readonly created: number;
}

export const entryKey = (accountId: string, kind: EntryKind, id: string): Item => ({
  account_id: text(accountId),
  item: text(`${kind}#${id}`),
});

/** The write of an entry; its condition fails when the entry is there already. */
export const putEntry = (
  { table, accountId, created }: EntryLocation,
  { kind, id, amount, cash, source, note }: LedgerEntry,
): TransactWriteItem => ({
  Put: {
    TableName: table,
    Item: {
      ...entryKey(accountId, kind, id),
      amount: number(amount),
      ...(cash === 0n ? {} : { cash: number(cash) }),
      created: number(created),
      source: text(source),
      ...(note === undefined ? {} : { by: text(note.by), reason: text(note.reason) }),
    },
    ConditionExpression: 'attribute_not_exists(account_id)',
  },
});

const [first = '', last = ''] = [ENTRY_KINDS.toSorted().at(0), ENTRY_KINDS.toSorted().at(-1)];

/** The first and the last key that an entry may have; `$` follows `#`. No other item of an account sorts between them. */
export const ENTRY_RANGE = { ':first': text(`${first}#`), ':last': text(`${last}$`) };

/** Throws for an item that is no entry. */
export function decodeEntry(item: Item): Pick<LedgerEntry, 'kind' | 'id' | 'amount' | 'cash'> {
  const key = readText(item, 'item');
  const kind = ENTRY_KINDS.find((candidate) => key.startsWith(`${candidate}#`));
  if (kind === undefined) throw new Error(`the item ${key} is no entry of the ledger`);
  const cash = item.cash === undefined ? 0n : readInteger(item, 'cash');
  return { kind, id: key.slice(`${kind}#`.length), amount: readInteger(item, 'amount'), cash };
}
