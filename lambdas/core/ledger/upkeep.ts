/** The ledger's regular work over every wallet, a page at a time: recovery of expired holds, and the audit. */
import { type AuditReader, addBooks, auditAccount, type Books, EMPTY_BOOKS } from './audit.ts';
import type { Wallet } from './ports.ts';
import type { Recovery, RecoveryCount } from './recovery.ts';

/** Reads a page of wallets, after the one that the page before ended with. */
export type WalletPages = (after?: string) => Promise<{
  readonly wallets: readonly Pick<Wallet, 'accountId' | 'holds'>[];
  readonly accounts: readonly string[];
  /** Accounts whose wallet lies in parts, or in the layout of earlier versions. */
  readonly untidy: readonly string[];
  readonly next: string | undefined;
}>;

/** Merges the idle parts of an account's wallet. */
export type Tidy = (accountId: string) => Promise<void>;

/** Some wallets could not be recovered; all others were. */
export class SweepFailed extends Error {
  override readonly name = 'SweepFailed';
  /** What was recovered all the same. */
  readonly count: RecoveryCount;
  readonly failed: number;

  constructor(count: RecoveryCount, failed: number, cause: unknown) {
    super(`${failed} wallets could not be recovered`, { cause });
    this.count = count;
    this.failed = failed;
  }
}

/**
 * Settles or releases every expired hold of every wallet and tidies it; safe to repeat, to race and to interrupt. One
 * that cannot be recovered does not keep the others from it: it is passed over, and when all are done `SweepFailed` is
 * thrown.
 */
export async function sweep(pages: WalletPages, recovery: Recovery, tidy: Tidy): Promise<RecoveryCount> {
  let [settled, released, failed] = [0, 0, 0];
  let cause: unknown;
  const attempt = async (work: () => Promise<RecoveryCount | undefined>): Promise<void> => {
    try {
      const count = await work();
      settled += count?.settled ?? 0;
      released += count?.released ?? 0;
    } catch (failure) {
      failed += 1;
      cause ??= failure;
    }
  };
  let after: string | undefined;
  do {
    const { wallets, untidy, next } = await pages(after);
    for (const wallet of wallets) await attempt(() => recovery.recoverWallet(wallet));
    for (const accountId of untidy) await attempt(() => tidy(accountId).then(() => undefined));
    after = next;
  } while (after !== undefined);
  if (failed > 0) throw new SweepFailed({ settled, released }, failed, cause);
  return { settled, released };
}

export interface AuditPage {
  readonly books: Books;
  readonly accounts: number;
  /** Accounts whose books do not balance. */
  readonly inexact: readonly string[];
  readonly next: string | undefined;
}

/** Audits the accounts of one page of wallets. */
export async function auditPage(pages: WalletPages, reader: AuditReader, after?: string): Promise<AuditPage> {
  const { accounts, next } = await pages(after);
  let books = EMPTY_BOOKS;
  const inexact: string[] = [];
  for (const accountId of accounts) {
    const account = await auditAccount(reader, accountId);
    if (!account.exact) inexact.push(accountId);
    books = addBooks(books, account);
  }
  return { books, accounts: accounts.length, inexact, next };
}

/** The books of every account. */
export async function auditAll(pages: WalletPages, reader: AuditReader): Promise<Books> {
  let books = EMPTY_BOOKS;
  let after: string | undefined;
  do {
    const page = await auditPage(pages, reader, after);
    books = addBooks(books, page.books);
    after = page.next;
  } while (after !== undefined);
  return books;
}
