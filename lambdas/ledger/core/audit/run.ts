/**
 * The audit of many accounts. An account that cannot be read, or whose ledger does not balance, does not affect the
 * others. A run stops at a given time, and another run continues after the last audited account.
 */
import type { Clock, Log } from '../../../platform/core/ports.ts';
import { type AccountAudit, type AuditOptions, auditAccount } from './account.ts';
import { addTotals, EMPTY_TOTALS, type LedgerTotals, UNPROVEN_TOTALS } from './ledger-totals.ts';
import type { AuditStore } from './ports.ts';

/** A part of all accounts, of about the same size as the others, and the account to continue after. */
export interface AuditPosition {
  readonly segment: number;
  readonly segments: number;
  readonly after?: string | undefined;
}

/** Reads a page of the accounts of a segment; `next` continues after it and is undefined on the last one. */
export type AccountPages = (
  position: AuditPosition,
) => Promise<{ readonly accounts: readonly string[]; readonly next: string | undefined }>;

export interface AuditDependencies {
  readonly pages: AccountPages;
  readonly store: AuditStore;
  readonly clock: Clock;
  /** Repairs the caps of an account's keys, from rollups that its audit has verified. Ends soon after `stopMs`. */
  readonly repairCaps?: (accountId: string, stopMs: number) => Promise<void>;
  /** Receives the name of each account that is not exact. */
  readonly log: Log;
}

export interface AuditTimes extends Pick<AuditOptions, 'stopMs' | 'includesRecords'> {
  /** The time after which no further account is started; ms by the clock. */
  readonly lastStartMs?: number;
}

export interface AuditRun {
  readonly totals: LedgerTotals;
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
  position: AuditPosition,
  times: AuditTimes = {},
): Promise<AuditRun> {
  const { pages, clock } = dependencies;
  const { lastStartMs = Number.POSITIVE_INFINITY } = times;
  let [totals, accounts, after] = [EMPTY_TOTALS, 0, position.after];
  for (;;) {
    const page = await pages({ ...position, after });
    for (let index = 0; index < page.accounts.length; index += AT_ONCE) {
      if (clock() >= lastStartMs) return { totals, accounts, done: false, after };
      const names = page.accounts.slice(index, index + AT_ONCE);
      const audits = await Promise.all(names.map((name) => auditSafely(dependencies, name, times)));
      const exact = names.filter((_, at) => audits[at]?.verdict === 'exact');
      await Promise.all(exact.map((name) => repairSafely(dependencies, name, times)));
      for (const [at, audit] of audits.entries()) {
        if (audit.verdict === 'unfinished') return { totals, accounts, done: false, after };
        totals = addTotals(totals, audit.totals);
        accounts += 1;
        after = names[at];
      }
    }
    if (page.next === undefined) return { totals, accounts, done: true, after: undefined };
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
    const { verdict, totals, reason, failed = [] } = audit;
    if (verdict === 'drift')
      log.error('the ledger does not balance', {
        accountId,
        drift: String(totals.drift),
        failed: failed.slice(0, MAX_NAMED),
      });
    if (verdict === 'unproven') log.error('the ledger could not be proven', { accountId, reason });
    return audit;
  } catch (failure) {
    log.error('the ledger could not be proven', { accountId, failure: String(failure) });
    return { verdict: 'unproven', totals: UNPROVEN_TOTALS, reason: 'its ledger cannot be read' };
  }
}

/**
 * Repairs the caps of an account. A failure does not affect the audit: it is logged, and the next run repairs the caps.
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

/** Audits every account and returns the totals. */
export async function auditAll(
  dependencies: AuditDependencies,
  includesRecords = false,
): Promise<LedgerTotals> {
  const { totals } = await auditSegment(dependencies, { segment: 0, segments: 1 }, { includesRecords });
  return totals;
}
