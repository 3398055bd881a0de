/**
 * The proof of one account's books, while calls and payments go on. It checks
 *
 * - each part of the wallet by itself, in one atomic read: received = balance + holds + spent - owed;
 * - that the parts received what the entries of the books say: top-ups + sales - refunds - purchases;
 * - that what was spent is what was spent by day;
 * - that what was spent through the last closed day is the cost of the usage records through that day. Sums that are
 *   proven are stored, so that the next audit reads only later records;
 * - and, when nothing moved while it was read, the same for the days that are not closed yet.
 */
import type { NanoUsd } from '../../money.ts';
import type { Clock } from '../../ports.ts';
import { changeOf, type EntryKind } from '../book-entry.ts';
import { type Books, EMPTY_BOOKS, UNPROVEN_BOOKS } from './books.ts';
import { type Cut, cutOf, largest, noTransferBetween, nothingBetween, spentAfter } from './cut.ts';
import { type AuditStore, NOTHING_PROVEN, type ProvenUsage } from './ports.ts';
import { DAY_SECONDS, readUsage, SETTLED_SECONDS, type UsageRead } from './usage-reading.ts';

export interface AuditOptions {
  readonly clock: Clock;
  /** When the reading of usage records stops, to be continued by a further audit; ms by the clock. */
  readonly stopMs?: number;
  /** Reads the usage records of proven days again too. */
  readonly whole?: boolean;
}

export interface AccountAudit {
  /** `unfinished`: the time was over; what was read is stored, and another audit of the account continues there. */
  readonly verdict: 'exact' | 'drift' | 'unproven' | 'unfinished';
  readonly books: Books;
  /** Why it is unproven. */
  readonly reason?: string;
}

/** Each further one means that a payment, or a transfer between parts, came between two readings milliseconds apart. */
const MAX_TRIES = 8;

export async function auditAccount(
  store: AuditStore,
  accountId: string,
  options: AuditOptions,
): Promise<AccountAudit> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const state = await readState(store, accountId);
    if (state === undefined) return { verdict: 'exact', books: EMPTY_BOOKS };
    const { cut, moved } = state;
    if (moved && cut.drift > 0n) return drifting({ ...EMPTY_BOOKS, drift: cut.drift });
    const audit = moved ? undefined : await prove({ store, accountId, state, options });
    if (audit !== undefined) return audit;
  }
  return unproven('it changed at every reading');
}

const unproven = (reason: string): AccountAudit => ({ verdict: 'unproven', books: UNPROVEN_BOOKS, reason });

const drifting = (books: Books): AccountAudit => ({ verdict: 'drift', books: { ...books, exact: false } });

/** A wallet and the entries that made it. */
interface State {
  readonly cut: Cut;
  readonly sums: Readonly<Record<EntryKind, NanoUsd>>;
  readonly proven: ProvenUsage;
  /** The parts and the entries are not of one instant. */
  readonly moved: boolean;
  /** No call began or ended while they were read. */
  readonly calm: boolean;
}

/** Undefined when the account has no wallet. What is proven is read after the parts: their days are removed after it is stored. */
async function readState(store: AuditStore, accountId: string): Promise<State | undefined> {
  const parts = await store.parts(accountId);
  if (parts.length === 0) return undefined;
  const sums: Record<EntryKind, NanoUsd> = { top_up: 0n, refund: 0n, purchase: 0n, sale: 0n };
  const readEntries = async () => {
    for await (const { kind, amount } of store.entries(accountId)) sums[kind] += amount;
  };
  const [proven] = await Promise.all([store.proven(accountId), readEntries()]);
  const after = await store.parts(accountId);
  return {
    cut: cutOf(parts),
    sums,
    proven,
    moved: !noTransferBetween(parts, after),
    calm: nothingBetween(parts, after),
  };
}

interface Proof {
  readonly store: AuditStore;
  readonly accountId: string;
  readonly state: State;
  readonly options: AuditOptions;
}

/** Undefined when the account moved meanwhile and must be read again. */
async function prove(proof: Proof): Promise<AccountAudit | undefined> {
  const { store, accountId, state, options } = proof;
  const { clock, stopMs = Number.POSITIVE_INFINITY, whole = false } = options;
  const { cut, proven, calm } = state;
  const partial = whole ? undefined : proven.partial;
  const base = whole ? NOTHING_PROVEN : proven;
  const through = partial?.through ?? lastClosedDay(cut, proven, clock());
  const open = calm && partial === undefined;
  const wanted = { accountId, proven: base.through, through, open, held: cut.open, from: partial };
  const read = await readUsage(store, { ...wanted, late: () => clock() > stopMs });
  if (read.stopped !== undefined) {
    if (whole) return unproven('its usage records cannot be read in time');
    const { stopped: after, closed } = read;
    await store.storeProven(accountId, { ...proven, partial: { ...closed, through, after } });
    return { verdict: 'unfinished', books: UNPROVEN_BOOKS };
  }
  const quiet = open && nothingBetween(cut.parts, await store.parts(accountId));
  const books = judge(state, { base, read, through, quiet });
  if (!books.exact) return drifting(books);
  await keep(proof, through, { base, read });
  return { verdict: 'exact', books };
}

/** The last UTC day whose calls have all been settled. */
function lastClosedDay(cut: Cut, proven: ProvenUsage, nowMs: number): number {
  const ended = Math.floor((nowMs / 1000 - SETTLED_SECONDS) / DAY_SECONDS) - 1;
  const settled = cut.oldest === undefined ? ended : Math.floor(cut.oldest / DAY_SECONDS) - 1;
  return Math.max(Math.min(ended, settled), proven.through ?? Number.NEGATIVE_INFINITY);
}

interface Usage {
  /** What the reading began after. */
  readonly base: ProvenUsage;
  readonly read: UsageRead;
}

/** The largest difference is the drift: an error in one place shows in several checks, and is counted once. */
function judge(
  { cut, sums, proven }: State,
  { base, read, through, quiet }: Usage & { readonly through: number; readonly quiet: boolean },
): Books {
  const entries = creditOf(sums);
  const closed = base.cost + read.closed.cost;
  const settled = entries - cut.balance - cut.held + cut.owed;
  const later = spentAfter(cut, through);
  const differences = [
    cut.drift,
    entries - cut.received,
    cut.spent - proven.cost - spentAfter(cut, proven.through),
    settled - later - closed,
  ];
  if (quiet) differences.push(later - read.open.cost);
  const drift = largest(differences);
  return {
    topUps: sums.top_up,
    refunds: sums.refund,
    purchases: sums.purchase,
    sales: sums.sale,
    balances: cut.balance,
    held: cut.held,
    usage: closed + (quiet ? read.open.cost : later),
    owed: cut.owed,
    drift,
    exact: drift === 0n,
    unproven: 0,
  };
}

const creditOf = (sums: State['sums']): NanoUsd =>
  Object.entries(sums).reduce(
    (sum, [kind, amount]) => sum + changeOf({ kind: kind as EntryKind, amount }),
    0n,
  );

/** Stores what was proven, unless it is what is stored already, and removes the costs by day that it replaces. */
async function keep(
  { store, accountId, state }: Proof,
  through: number,
  { base, read }: Usage,
): Promise<void> {
  const { cut, proven } = state;
  const learned = read.any || proven.partial !== undefined;
  let kept = proven.through;
  if (through !== proven.through && learned) {
    const cost = base.cost + read.closed.cost;
    const version = proven.version;
    const next = { through, cost, partial: undefined, version };
    if (!(await store.storeProven(accountId, next))) return;
    kept = through;
  }
  const last = kept;
  if (last === undefined) return;
  const days = cut.parts.flatMap(({ id, spentByDay }) =>
    [...spentByDay.keys()].filter((day) => day <= last).map((day) => ({ part: id, day })),
  );
  if (days.length > 0) await store.removeDays(days);
}
