/**
 * The steps of the audit workflow. A step audits the accounts of a segment up to the function's timeout, and passes the
 * totals to the next. The last step adds up the segments.
 */
import * as z from 'zod';
import type { AuditConclusion } from './conclusion.ts';
import { addTotals, EMPTY_TOTALS, type LedgerTotals } from './ledger-totals.ts';
import { type AuditDependencies, auditSegment } from './run.ts';

/** An amount of nano-USD as decimal text. */
const amount = z
  .string()
  .regex(/^-?\d+$/)
  .transform(BigInt);

const totalsSchema = z.object({
  topUps: amount,
  refunds: amount,
  purchases: amount,
  purchaseRefunds: amount,
  transfers: amount,
  pending: amount,
  available: amount,
  inTransit: amount,
  paidOut: amount,
  fees: amount,
  balances: amount,
  held: amount,
  usage: amount,
  owed: amount,
  drift: amount,
  salesOverdue: z.int().min(0),
  exact: z.boolean(),
  unproven: z.int().min(0),
});

/** The state that a segment passes from step to step. */
const segmentSchema = z.object({
  segment: z.int().min(0),
  segments: z.int().min(1),
  after: z.string().nullish(),
  accounts: z.int().min(0).default(0),
  books: totalsSchema.default(EMPTY_TOTALS),
  done: z.boolean().default(false),
});

const inputSchema = z.union([z.object({ results: z.array(segmentSchema) }), segmentSchema]);

export type AuditInput = z.input<typeof inputSchema>;

/** The totals of a step, with amounts as text. */
type LedgerTotalsJson = z.input<typeof totalsSchema>;

export interface SegmentState {
  readonly segment: number;
  readonly segments: number;
  readonly after: string | null;
  readonly accounts: number;
  readonly books: LedgerTotalsJson;
  /** Every account of the segment is done. */
  readonly done: boolean;
}

export interface AuditResult {
  readonly accounts: number;
  readonly books: LedgerTotalsJson;
  /** No account drifts. */
  readonly balanced: boolean;
  /** Every segment is complete. */
  readonly complete: boolean;
}

export interface AuditBooksDependencies extends AuditDependencies {
  /** Receives the totals of each step. */
  readonly onStep: (totals: LedgerTotals) => void;
  /** Stores the conclusion of the audit. */
  readonly storeConclusion: (conclusion: AuditConclusion) => Promise<void>;
  /** Receives the totals of all accounts, and the number of accounts. */
  readonly onAudited: (totals: LedgerTotals, accounts: number) => void;
}

/** The time during which a step starts accounts. */
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
    dependencies.onStep(run.totals);
    return {
      segment,
      segments,
      after: run.after ?? null,
      accounts: state.accounts + run.accounts,
      books: toText(addTotals(state.books, run.totals)),
      done: run.done,
    };
  }

  async function conclude(results: readonly z.output<typeof segmentSchema>[]): Promise<AuditResult> {
    const totals = results.map((result) => result.books).reduce(addTotals, EMPTY_TOTALS);
    const accounts = results.reduce((sum, result) => sum + result.accounts, 0);
    const complete = results.every(({ done }) => done);
    const { unproven, drift } = totals;
    // Stored before it is reported: a step that fails to store it is repeated, and would report it twice.
    await dependencies.storeConclusion({
      endedAt: Math.floor(dependencies.clock() / 1000),
      accounts,
      unproven,
      drift,
      complete,
    });
    dependencies.onAudited(totals, accounts);
    return {
      accounts,
      books: toText(totals),
      balanced: totals.drift === 0n,
      complete,
    };
  }

  return async (input: AuditInput): Promise<SegmentState | AuditResult> => {
    const state = inputSchema.parse(input);
    return 'results' in state ? conclude(state.results) : step(state);
  };
}

const toText = (totals: LedgerTotals): LedgerTotalsJson =>
  Object.fromEntries(
    Object.entries(totals).map(([name, value]) => [name, typeof value === 'bigint' ? String(value) : value]),
  ) as LedgerTotalsJson;
