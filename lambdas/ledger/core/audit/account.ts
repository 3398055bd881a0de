/**
 * The proof of one account's books, while calls and payments go on. It checks
 *
 * - each shard of the wallet by itself, in one atomic read: received = balance + holds + spent - owed;
 * - that the shards received what the entries of the books say: top-ups + sales - refunds - purchases;
 * - that what was spent is what was spent by day;
 * - that what was spent on each closed day is the cost of the day's stored usage sums, after they are brought up to date.
 *   What is proven is stored, and the next audit begins after it;
 * - and, when nothing moved while it was read, the same for the days that are not closed yet.
 */
import type { NanoUsd } from '../../../platform/core/money.ts';
import type { Clock } from '../../../platform/core/ports.ts';
import { SKEW_SECONDS } from '../../../platform/core/ports.ts';
import { changeOf, type EntryKind } from '../book-entry.ts';
import { closedDay } from '../usage/sums.ts';
import { EMPTY_BOOKS, type LedgerTotals, UNPROVEN_BOOKS } from './books.ts';
import { type Cut, cutOf, largest, noTransferBetween, nothingBetween, spentAfter, sumOf } from './cut.ts';
import type { AuditStore, ProvenUsage } from './ports.ts';
import {
  DAY_SECONDS,
  dateOf,
  readUsageRecords,
  readUsageSums,
  type UsageRecords,
  type UsageSums,
} from './usage.ts';

export interface AuditOptions {
  readonly clock: Clock;
  /** The time at which the summing of usage stops, in ms by the clock. A further audit continues it. */
  readonly stopMs?: number;
  /** Reads every usage record too, and compares it with the wallet and the sums. */
  readonly whole?: boolean;
}

export interface AccountAudit {
  /** `unfinished`: the time was over; the sums that were made are stored, and another audit continues there. */
  readonly verdict: 'exact' | 'drift' | 'unproven' | 'unfinished';
  readonly books: LedgerTotals;
  /** The reason why the account is unproven. */
  readonly reason?: string;
  /** The checks that found the drift. */
  readonly failed?: readonly string[];
}

/** Each further one means that a payment, or a transfer between shards, came between two readings milliseconds apart. */
const MAX_TRIES = 8;

export async function auditAccount(
  store: AuditStore,
  accountId: string,
  options: AuditOptions,
): Promise<AccountAudit> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const startedMs = options.clock();
    const state = await readState(store, accountId);
    if (state === undefined) return { verdict: 'exact', books: EMPTY_BOOKS };
    const { cut, moved } = state;
    if (!moved) return prove({ store, accountId, state, options, through: lastClosedDay(state, startedMs) });
    if (cut.drift > 0n) return drifting({ ...EMPTY_BOOKS, drift: cut.drift }, ['shards']);
  }
  return { verdict: 'unproven', books: UNPROVEN_BOOKS, reason: 'it changed at every reading' };
}

const drifting = (books: LedgerTotals, failed: readonly string[]): AccountAudit => ({
  verdict: 'drift',
  books: { ...books, exact: false },
  failed,
});

/** A wallet and the entries that made it. */
interface State {
  readonly cut: Cut;
  readonly entries: Readonly<Record<EntryKind, NanoUsd>>;
  readonly proven: ProvenUsage;
  /** The shards and the entries are not of one instant. */
  readonly moved: boolean;
  /** No call began or ended while they were read. */
  readonly calm: boolean;
}

/** Undefined when the account has no wallet. What is proven is read after the shards: their days are removed after it is stored. */
async function readState(store: AuditStore, accountId: string): Promise<State | undefined> {
  const shards = await store.shards(accountId);
  if (shards.length === 0) return undefined;
  const entries: Record<EntryKind, NanoUsd> = { top_up: 0n, refund: 0n, purchase: 0n, sale: 0n };
  const readEntries = async () => {
    for await (const { kind, amount } of store.entries(accountId)) entries[kind] += amount;
  };
  const [proven] = await Promise.all([store.proven(accountId), readEntries()]);
  const after = await store.shards(accountId);
  return {
    cut: cutOf(shards),
    entries,
    proven,
    moved: !noTransferBetween(shards, after),
    calm: nothingBetween(shards, after),
  };
}

/**
 * The last UTC day whose calls have all been settled, or the last proven one. An open hold keeps its day open, however
 * long it is not recovered: its record will have a later time than its id, and must be summed then.
 */
function lastClosedDay({ cut, proven }: State, nowMs: number): number {
  const { oldest = Number.POSITIVE_INFINITY } = cut;
  const settled = Math.floor((oldest - SKEW_SECONDS) / DAY_SECONDS) - 1;
  return Math.max(Math.min(closedDay(nowMs), settled), proven.through);
}

interface Proof {
  readonly store: AuditStore;
  readonly accountId: string;
  readonly state: State;
  readonly options: AuditOptions;
  readonly through: number;
}

async function prove(proof: Proof): Promise<AccountAudit> {
  const { store, accountId, state, options, through } = proof;
  const { clock, stopMs = Number.POSITIVE_INFINITY, whole = false } = options;
  const { cut, proven, calm } = state;
  const wanted = { accountId, proven: proven.through, through, holds: cut.holds };
  const reading = { open: calm, nowMs: clock(), late: () => clock() > stopMs };
  const sums = await readUsageSums(store, { ...wanted, ...reading });
  if (sums === undefined) return { verdict: 'unfinished', books: UNPROVEN_BOOKS };
  const records = whole ? await readUsageRecords(store, wanted) : undefined;
  const isQuiet = sums.open !== undefined && nothingBetween(cut.shards, await store.shards(accountId));
  const usage = { ...sums, open: isQuiet ? sums.open : undefined, records };
  const differences = differencesOf(state, through, usage);
  const closed = proven.cost + sumOf(sums.days.values());
  const books = booksOf(state, closed + (usage.open ?? sumOf(spentAfter(cut, through).values())));
  const failed = [...differences].flatMap(([check, by]) => (by === 0n ? [] : [check]));
  if (failed.length > 0) return drifting({ ...books, drift: largest([...differences.values()]) }, failed);
  await keep(proof, sums.days, closed);
  return { verdict: 'exact', books };
}

interface Usage extends UsageSums {
  readonly records: UsageRecords | undefined;
}

/** Returns the difference of each check. The largest is the drift: one error shows in several checks and counts once. */
function differencesOf(
  { cut, entries, proven }: State,
  through: number,
  { days, open, records }: Usage,
): ReadonlyMap<string, NanoUsd> {
  const spent = spentAfter(cut, proven.through);
  const later = sumOf(spentAfter(cut, through).values());
  const closed = [...new Set([...spent.keys(), ...days.keys()])].filter((day) => day <= through);
  const dayOff = (day: number) => (spent.get(day) ?? 0n) - (days.get(day) ?? 0n);
  const differences = new Map([
    ['shards', cut.drift],
    ['entries', creditOf(entries) - cut.received],
    ['spent by day', cut.spent - proven.cost - sumOf(spent.values())],
    ...closed.map((day) => [`sums of ${dateOf(day)}`, dayOff(day)] as const),
    ['sums of open days', open === undefined ? 0n : later - open],
  ]);
  if (records === undefined) return differences;
  const settled = creditOf(entries) - cut.balance - cut.held + cut.owed;
  return new Map([
    ...differences,
    ['sums', settled - later - records.sums],
    ['records', settled - later - records.closed],
    ['records of open days', open === undefined ? 0n : later - records.open],
    ...records.differences,
  ]);
}

const creditOf = (entries: State['entries']): NanoUsd =>
  sumOf(Object.entries(entries).map(([kind, amount]) => changeOf({ kind: kind as EntryKind, amount })));

const booksOf = ({ cut, entries }: State, usage: NanoUsd): LedgerTotals => ({
  ...EMPTY_BOOKS,
  topUps: entries.top_up,
  refunds: entries.refund,
  purchases: entries.purchase,
  sales: entries.sale,
  balances: cut.balance,
  held: cut.held,
  usage,
  owed: cut.owed,
});

/** Stores what was proven, if there was any usage, and removes the costs by day that it replaces. */
async function keep(
  { store, accountId, state: { cut, proven }, through }: Proof,
  days: UsageSums['days'],
  cost: NanoUsd,
): Promise<void> {
  const last = days.size === 0 ? proven.through : through;
  const next = { through, cost, version: proven.version };
  if (days.size > 0 && !(await store.storeProven(accountId, next))) return;
  const replaced = cut.shards.flatMap(({ id, spentByDay }) =>
    [...spentByDay.keys()].filter((day) => day <= last).map((day) => ({ shard: id, day })),
  );
  if (replaced.length > 0) await store.removeDays(replaced);
}
