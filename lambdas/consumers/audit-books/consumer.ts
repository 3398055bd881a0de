/** One step of the audit workflow: proves the books of a page of accounts and carries the sums on. */
import * as z from 'zod';
import type { AuditReader, Books } from '../../core/ledger/audit.ts';
import { auditPage, type WalletPages } from '../../core/ledger/upkeep.ts';
import type { Log } from '../../core/ports.ts';

/** What the workflow carries from step to step; amounts are nano-USD as decimal text. */
const stateSchema = z.object({
  after: z.string().nullish(),
  accounts: z.int().min(0).default(0),
  busy: z.int().min(0).default(0),
  drift: z.string().regex(/^\d+$/).default('0'),
});

export type AuditState = z.input<typeof stateSchema>;

export interface AuditStep extends z.output<typeof stateSchema> {
  readonly done: boolean;
  readonly exact: boolean;
}

export interface AuditDependencies {
  readonly pages: WalletPages;
  readonly reader: AuditReader;
  /** Receives the books of each page and how many accounts it has. */
  readonly onAudited: (books: Books, accounts: number) => void;
  readonly log: Log;
}

export function auditBooks({ pages, reader, onAudited, log }: AuditDependencies) {
  return async (input: AuditState): Promise<AuditStep> => {
    const state = stateSchema.parse(input);
    const page = await auditPage(pages, reader, state.after ?? undefined);
    onAudited(page.books, page.accounts);
    if (page.inexact.length > 0) log.error('books do not balance', { accounts: page.inexact });
    const drift = BigInt(state.drift) + page.books.drift;
    return {
      after: page.next ?? null,
      accounts: state.accounts + page.accounts,
      busy: state.busy + page.books.busy,
      drift: String(drift),
      done: page.next === undefined,
      exact: drift === 0n && page.books.exact,
    };
  };
}
