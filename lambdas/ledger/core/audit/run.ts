/**
 * The audit of many accounts. An account that cannot be read, or whose books do not balance, keeps nothing from the
 * others. A run stops at a given time, whatever it has left, and another one continues after the last account it did.
 */
import type { Clock, Log } from '../../../platform/core/ports.ts';
import { type AccountAudit, type AuditOptions, auditAccount } from './account.ts';
import { addBooks, EMPTY_BOOKS, type LedgerTotals, UNPROVEN_BOOKS } from './books.ts';
import type { AuditStore } from './ports.ts';

/** A part of all accounts, of about the same size as the others, and the account to continue after. */
export interface AuditPlace {
  readonly segment: number;
  readonly segments: number;
  readonly after?: string | undefined;
}

/** Reads a page of the accounts of a segment; `next` continues after it and is undefined on the last one. */
export type AccountPages = (
  place: AuditPlace,
) => Promise<{ readonly accounts: readonly string[]; readonly next: string | undefined }>;

export interface AuditDependencies {
  readonly pages: AccountPages;
  readonly store: AuditStore;
  readonly clock: Clock;
  /** Repairs the caps of an account's keys, by sums that its audit has proven; ends soon after `stopMs`. */
  readonly repairCaps?: (accountId: string, stopMs: number) => Promise<void>;
  /** Receives the name of each account that is not exact. */
  readonly log: Log;
}

export interface AuditTimes extends Pick<AuditOptions, 'stopMs' | 'whole'> {
  /** No further account is begun then; ms by the clock. */
  readonly lastStartMs?: number;
}

export interface AuditRun {
  readonly books: LedgerTotals;
  readonly accounts: number;
  /** Every account of the segment is done. */
  readonly done: boolean;
  /** The account to continue after, if not; undefined: from the start. */
  readonly after: string | undefined;
}

/** Most of an audit is waiting for the database. */
const AT_ONCE = 8;

/** Checks that one line of the log names: an account may have many days and keys. */
const MAX_NAMED = 20;

/** Audits a segment's accounts after `place.after`, until all are done or the time is over. Throws when a page cannot be read. */
export async function auditSegment(
  dependencies: AuditDependencies,
  place: AuditPlace,
  times: AuditTimes = {},
): Promise<AuditRun> {
  const { pages, clock } = dependencies;
  const { lastStartMs = Number.POSITIVE_INFINITY } = times;
  let [books, accounts, after] = [EMPTY_BOOKS, 0, place.after];
  for (;;) {
    const page = await pages({ ...place, after });
    for (let index = 0; index < page.accounts.length; index += AT_ONCE) {
      if (clock() >= lastStartMs) return { books, accounts, done: false, after };
      const names = page.accounts.slice(index, index + AT_ONCE);
      const audits = await Promise.all(names.map((name) => auditSafely(dependencies, name, times)));
      const exact = names.filter((_, at) => audits[at]?.verdict === 'exact');
      await Promise.all(exact.map((name) => repairSafely(dependencies, name, times)));
      for (const [at, audit] of audits.entries()) {
        if (audit.verdict === 'unfinished') return { books, accounts, done: false, after };
        books = addBooks(books, audit.books);
        accounts += 1;
        after = names[at];
      }
    }
    if (page.next === undefined) return { books, accounts, done: true, after: undefined };
    after = page.next;
  }
}

/** An account's audit, and a line in the log unless it is exact. */
async function auditSafely(
  { store, clock, log }: AuditDependencies,
  accountId: string,
  times: AuditTimes,
): Promise<AccountAudit> {
  try {
    const audit = await auditAccount(store, accountId, { ...times, clock });
    const { verdict, books, reason, failed = [] } = audit;
    if (verdict === 'drift')
      log.error('books do not balance', {
        accountId,
        drift: String(books.drift),
        failed: failed.slice(0, MAX_NAMED),
      });
    if (verdict === 'unproven') log.error('books could not be proven', { accountId, reason });
    return audit;
  } catch (failure) {
    log.error('books could not be proven', { accountId, failure: String(failure) });
    return { verdict: 'unproven', books: UNPROVEN_BOOKS, reason: 'its books cannot be read' };
  }
}

/**
 * Repairs the caps of an account. A failure does not affect the proof: it is logged, and the next run repairs the caps.
 */
async function repairSafely(
  { repairCaps, log }: AuditDependencies,
  accountId: string,
  { stopMs = Number.POSITIVE_INFINITY }: AuditTimes,
): Promise<void> {
  try {
    await repairCaps?.(accountId, stopMs);
  } catch (failure) {
    log.warn('caps not repaired', { accountId, failure: String(failure) });
  }
}

/** The books of every account. */
export async function auditAll(dependencies: AuditDependencies, whole = false): Promise<LedgerTotals> {
  const { books } = await auditSegment(dependencies, { segment: 0, segments: 1 }, { whole });
  return books;
}
