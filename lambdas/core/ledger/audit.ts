/**
 * The proof that the books balance, account by account: top-ups and sales, less refunds and purchases, equal the balance,
 * the open holds and the cost of calls, less what is owed. It may run while calls and payments do: an account is read
 * again when its wallet changed meanwhile.
 */
import type { NanoUsd } from '../money.ts';
import type { BookEntry, EntryKind } from './book-entry.ts';
import type { Wallet } from './ports.ts';

/** Reads of one account's books. */
export interface AuditReader {
  wallet(accountId: string): Promise<Wallet | undefined>;
  /** Every entry of its books. */
  entries(accountId: string): AsyncIterable<Pick<BookEntry, 'kind' | 'amount'>>;
  usage(accountId: string): AsyncIterable<{
    readonly id: string;
    readonly cost: NanoUsd;
    readonly writtenOff: NanoUsd;
  }>;
}

export interface Books {
  readonly topUps: NanoUsd;
  /** Taken back after a refund or a dispute of a payment. */
  readonly refunds: NanoUsd;
  /** Paid for listings, and received for them. */
  readonly purchases: NanoUsd;
  readonly sales: NanoUsd;
  readonly balances: NanoUsd;
  readonly held: NanoUsd;
  readonly usage: NanoUsd;
  /** Taken back after it had been spent, and not paid since. */
  readonly owed: NanoUsd;
  /** Apart from the books: cost that was never charged. */
  readonly writtenOff: NanoUsd;
  /** The sum of every account's `|topUps + sales - refunds - purchases - balance - held - usage + owed|`: zero when the books balance. */
  readonly drift: NanoUsd;
  /** No drift, and no balance below zero. */
  readonly exact: boolean;
  /** Accounts whose wallet changed at every reading, so that the audit has no result for them. */
  readonly busy: number;
}

export const EMPTY_BOOKS: Books = {
  topUps: 0n,
  refunds: 0n,
  purchases: 0n,
  sales: 0n,
  balances: 0n,
  held: 0n,
  usage: 0n,
  owed: 0n,
  writtenOff: 0n,
  drift: 0n,
  exact: true,
  busy: 0,
};

/** A wallet that changes at each of these readings belongs to an account with many calls in flight. */
const MAX_READINGS = 5;

/** The books of one account at one instant. */
export async function auditAccount(reader: AuditReader, accountId: string): Promise<Books> {
  let before = await reader.wallet(accountId);
  for (let readings = 0; readings < MAX_READINGS; readings += 1) {
    if (before === undefined) return EMPTY_BOOKS;
    const books = await readBooks(reader, before);
    const after = await reader.wallet(accountId);
    if (after !== undefined && walletsEqual(before, after)) return books;
    before = after;
  }
  return { ...EMPTY_BOOKS, busy: 1 };
}

export function addBooks(a: Books, b: Books): Books {
  return {
    topUps: a.topUps + b.topUps,
    refunds: a.refunds + b.refunds,
    purchases: a.purchases + b.purchases,
    sales: a.sales + b.sales,
    balances: a.balances + b.balances,
    held: a.held + b.held,
    usage: a.usage + b.usage,
    owed: a.owed + b.owed,
    writtenOff: a.writtenOff + b.writtenOff,
    drift: a.drift + b.drift,
    exact: a.exact && b.exact,
    busy: a.busy + b.busy,
  };
}

async function readBooks(reader: AuditReader, { accountId, balance, owed, holds }: Wallet): Promise<Books> {
  let [usage, writtenOff] = [0n, 0n];
  const sums: Record<EntryKind, NanoUsd> = { top_up: 0n, refund: 0n, purchase: 0n, sale: 0n };
  for await (const { kind, amount } of reader.entries(accountId)) sums[kind] += amount;
  const { top_up: topUps, refund: refunds, purchase: purchases, sale: sales } = sums;
  const open = new Set(holds.map(({ id }) => id));
  for await (const record of reader.usage(accountId)) {
    writtenOff += record.writtenOff;
    // The record is written before its hold ends: until then the money is counted where it is, in the hold.
    if (!open.has(record.id)) usage += record.cost;
  }
  const held = holds.reduce((sum, hold) => sum + hold.amount, 0n);
  const difference = topUps + sales - refunds - purchases - balance - held - usage + owed;
  const drift = difference < 0n ? -difference : difference;
  const exact = drift === 0n && balance >= 0n && owed >= 0n;
  const entries = { topUps, refunds, purchases, sales };
  return { ...entries, balances: balance, held, usage, owed, writtenOff, drift, exact, busy: 0 };
}

/** Between two readings, calls only lower a balance and only an entry raises it, so the same state is the same instant. */
function walletsEqual(a: Wallet, b: Wallet): boolean {
  const state = ({ balance, owed, entries, holds }: Wallet) =>
    [balance, owed, entries, ...holds.map(({ id, amount }) => `${id}:${amount}`).sort()].join();
  return state(a) === state(b);
}
