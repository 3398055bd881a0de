/**
 * The steps of the audit workflow. One proves the accounts of a segment for as long as a function may run, and carries
 * the sums on to the next; the last one adds up the segments.
 */
import * as z from 'zod';
import { addBooks, EMPTY_BOOKS, type LedgerTotals } from '../../core/audit/books.ts';
import type { AuditConclusion } from '../../core/audit/conclusion.ts';
import { type AuditDependencies, auditSegment } from '../../core/audit/run.ts';

/** An amount of nano-USD as decimal text. */
const amount = z
  .string()
  .regex(/^-?\d+$/)
  .transform(BigInt);

const booksSchema = z.object({
  topUps: amount,
  refunds: amount,
  purchases: amount,
  sales: amount,
  balances: amount,
  held: amount,
  usage: amount,
  owed: amount,
  drift: amount,
  exact: z.boolean(),
  unproven: z.int().min(0),
});

/** The state that a segment passes from step to step. */
const segmentSchema = z.object({
  segment: z.int().min(0),
  segments: z.int().min(1),
  after: z.string().nullish(),
  accounts: z.int().min(0).default(0),
  books: booksSchema.default(EMPTY_BOOKS),
  done: z.boolean().default(false),
});

const inputSchema = z.union([z.object({ results: z.array(segmentSchema) }), segmentSchema]);

export type AuditInput = z.input<typeof inputSchema>;

/** A step's books, with its amounts as text. */
type BooksText = z.input<typeof booksSchema>;

export interface SegmentState {
  readonly segment: number;
  readonly segments: number;
  readonly after: string | null;
  readonly accounts: number;
  readonly books: BooksText;
  /** Every account of the segment is done. */
  readonly done: boolean;
}

export interface AuditResult {
  readonly accounts: number;
  readonly books: BooksText;
  /** No account drifts. */
  readonly balanced: boolean;
  /** Every segment came to its end. */
  readonly complete: boolean;
}

export interface AuditBooksDependencies extends AuditDependencies {
  /** Receives the books of each step. */
  readonly onStep: (books: LedgerTotals) => void;
  /** Keeps what the audit found. */
  readonly keep: (conclusion: AuditConclusion) => Promise<void>;
  /** Receives the books of all accounts, and how many accounts there are. */
  readonly onAudited: (books: LedgerTotals, accounts: number) => void;
}

/** A step begins accounts for so long, */
const STARTING_MS = 600_000;

/** and reads records for so long; what is left of the function's 900 s ends the account that it is at. */
const READING_MS = 780_000;

export function auditBooks(dependencies: AuditBooksDependencies) {
  async function step(state: z.output<typeof segmentSchema>): Promise<SegmentState> {
    const { segment, segments } = state;
    const startedMs = dependencies.clock();
    const times = { lastStartMs: startedMs + STARTING_MS, stopMs: startedMs + READING_MS };
    const run = await auditSegment(
      dependencies,
      { segment, segments, after: state.after ?? undefined },
      times,
    );
    dependencies.onStep(run.books);
    return {
      segment,
      segments,
      after: run.after ?? null,
      accounts: state.accounts + run.accounts,
      books: toText(addBooks(state.books, run.books)),
      done: run.done,
    };
  }

  async function conclude(results: readonly z.output<typeof segmentSchema>[]): Promise<AuditResult> {
    const books = results.map((result) => result.books).reduce(addBooks, EMPTY_BOOKS);
    const accounts = results.reduce((sum, result) => sum + result.accounts, 0);
    const complete = results.every(({ done }) => done);
    const { unproven, drift } = books;
    // Before it is reported: a step that fails to keep it is repeated, and would be reported twice.
    await dependencies.keep({
      ended: Math.floor(dependencies.clock() / 1000),
      accounts,
      unproven,
      drift,
      complete,
    });
    dependencies.onAudited(books, accounts);
    return {
      accounts,
      books: toText(books),
      balanced: books.drift === 0n,
      complete,
    };
  }

  return async (input: AuditInput): Promise<SegmentState | AuditResult> => {
    const state = inputSchema.parse(input);
    return 'results' in state ? conclude(state.results) : step(state);
  };
}

const toText = (books: LedgerTotals): BooksText =>
  Object.fromEntries(
    Object.entries(books).map(([name, value]) => [name, typeof value === 'bigint' ? String(value) : value]),
  ) as BooksText;
