/** A night's audit of accounts in memory, in simulated time: the workflow's own definition runs the consumer's own steps. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { StateMachine } from 'aws-local-stepfunctions';
import type { LedgerTotals } from '../core/audit/ledger-totals.ts';
import { NO_EARNINGS } from '../core/audit/no-earnings.ts';
import { type AuditStore, NO_PROVEN_USAGE, type WalletShard } from '../core/audit/ports.ts';
import { type AuditInput, type AuditResult, auditBooks } from '../core/audit/steps.ts';
import type { RollupDependencies } from '../core/usage/account-rollups.ts';
import { NO_PROGRESS } from '../core/usage/ports.ts';

/** Accounts that are a number each; those in these lists are not as they should be. */
export interface Population {
  readonly accounts: number;
  /** Their reads fail. */
  readonly failing: readonly number[];
  /** A nano-dollar is missing. */
  readonly drifting: readonly number[];
  /** Payments come between any two readings. */
  readonly moving: readonly number[];
  /** The duration of a read. The default is 20, as for a function with a fraction of a CPU. */
  readonly readMs?: number;
  /** A segment whose accounts cannot be listed from its middle on. */
  readonly brokenSegment?: number;
}

export interface Night {
  readonly result: AuditResult | { readonly failed: string };
  readonly audited: { readonly books: LedgerTotals; readonly accounts: number } | undefined;
  /** The accounts that the log names. */
  readonly named: readonly string[];
  readonly steps: number;
  readonly longestStepSeconds: number;
}

/** Accounts are read side by side. */
const AT_ONCE = 8;
const PAGE = 200;
const NIGHT_MS = Date.UTC(2026, 10, 22, 3);

const idOf = (account: number): string => `acc_${String(account).padStart(8, '0')}`;
const numberOf = (accountId: string): number => Number(accountId.slice(4));

/** A segment's time and accounts. */
class Segment implements AuditStore {
  nowMs = NIGHT_MS;
  readonly #population: Population;
  #moves = 0;

  constructor(population: Population) {
    this.#population = population;
  }

  #read(): void {
    this.nowMs += (this.#population.readMs ?? 20) / AT_ONCE;
  }

  async shards(accountId: string): Promise<readonly WalletShard[]> {
    this.#read();
    const account = numberOf(accountId);
    const { failing, drifting, moving } = this.#population;
    if (failing.includes(account)) throw new Error('attribute balance is not an integer');
    if (moving.includes(account)) this.#moves += 1;
    return [
      {
        id: accountId,
        balance: drifting.includes(account) ? 999n : 1000n,
        holds: [],
        debt: 0n,
        entries: moving.includes(account) ? this.#moves : 1,
        received: 1000n,
        netCash: 0n,
        payableCash: 0n,
        spentAmount: 0n,
        spentByDay: new Map(),
      },
    ];
  }

  async readEarnings() {
    this.#read();
    return NO_EARNINGS.readEarnings();
  }

  async *entries() {
    this.#read();
    yield { kind: 'top_up' as const, amount: 1000n, cash: 0n };
  }

  readonly rollups: RollupDependencies = {
    keys: {
      since: async () => {
        // The account's item and the index of its keys.
        this.#read();
        this.#read();
        return { live: ['key_1'], later: ['key_1'] };
      },
    },
    calls: {
      read: async () => {
        this.#read();
        return { calls: [], next: undefined };
      },
    },
    store: {
      progress: async () => {
        this.#read();
        return NO_PROGRESS;
      },
      storeProgress: async () => {
        this.#read();
        return true;
      },
      days: async () => {
        this.#read();
        return [];
      },
      storeDay: async () => {},
    },
  };

  async recordedCost() {
    return 0n;
  }

  async *usage() {
    yield* [];
  }

  async readProvenUsage() {
    return NO_PROVEN_USAGE;
  }

  async storeProvenUsage() {
    return true;
  }

  async removeDays() {}

  async pages(segment: number, segments: number, after: string | undefined) {
    this.#read();
    const { accounts: all, brokenSegment } = this.#population;
    const size = Math.ceil(all / segments);
    const end = Math.min(all, (segment + 1) * size);
    const first = after === undefined ? segment * size : numberOf(after) + 1;
    if (segment === brokenSegment && first >= segment * size + size / 2)
      throw new Error('the page cannot be read');
    const last = Math.min(end, first + PAGE);
    const accounts = Array.from({ length: Math.max(0, last - first) }, (_, at) => idOf(first + at));
    return { accounts, next: last < end ? accounts.at(-1) : undefined };
  }
}

const FUNCTION = 'arn:aws:lambda:us-east-1:123456789012:function:audit-books';

type Definition = ConstructorParameters<typeof StateMachine>[0];
type SegmentInput = Extract<AuditInput, { readonly segment: number }>;

export async function simulateNight(population: Population): Promise<Night> {
  const segments = new Map<number, Segment>();
  const named: string[] = [];
  let [steps, longestMs] = [0, 0];
  let audited: Night['audited'];
  const name = (_message: string, fields: object = {}) => {
    if ('accountId' in fields) named.push(String(fields.accountId));
  };
  const stepOf = (segment: Segment) =>
    auditBooks({
      pages: ({ segment: at, segments: count, after }) => segment.pages(at, count, after),
      store: segment,
      clock: () => segment.nowMs,
      log: { info: () => {}, warn: () => {}, error: name },
      onStep: () => {},
      storeConclusion: async () => {},
      onAudited: (books, accounts) => {
        audited = { books, accounts };
      },
    });
  const auditSegment = async (input: SegmentInput) => {
    const segment = segments.get(input.segment) ?? new Segment(population);
    segments.set(input.segment, segment);
    const startedMs = segment.nowMs;
    try {
      const state = await stepOf(segment)(input);
      steps += 1;
      return state;
    } finally {
      longestMs = Math.max(longestMs, segment.nowMs - startedMs);
    }
  };
  const result = await run({
    AuditSegment: (input) => auditSegment(input as SegmentInput),
    AddUp: (input) => stepOf(new Segment(population))(input as AuditInput),
  });
  return { result, audited, named, steps, longestStepSeconds: longestMs / 1000 };
}

async function run(handlers: Record<string, (input: unknown) => Promise<unknown>>): Promise<Night['result']> {
  const file = join(import.meta.dirname, '..', '..', '..', 'lib', 'workflows', 'audit-books.asl.json');
  const text = readFileSync(file, 'utf8').replaceAll(/\$\{\w+\}/g, FUNCTION);
  const machine = new StateMachine(JSON.parse(text) as Definition);
  const { result } = machine.run(
    {},
    {
      overrides: {
        taskResourceLocalHandlers: handlers as Record<string, () => Promise<never>>,
        retryIntervalOverrides: { AuditSegment: 0, AddUp: 0 },
      },
    },
  );
  try {
    return (await result) as unknown as AuditResult;
  } catch (failure) {
    return { failed: (failure as Error).message };
  }
}
