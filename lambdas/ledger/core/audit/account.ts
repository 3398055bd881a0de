/**
 * The audit of one account's ledger, while calls and payments continue. It verifies
 *
 * - each shard of the wallet by itself, in one atomic read: received = balance + holds + spent - owed;
 * - that the shards received the total of the ledger entries: top-ups + transfers + purchase refunds - refunds -
 * purchases; that the money in the wallet is the total of the money in the entries, and no more of it is payable;
 * - that the spent amount equals the amount spent by day;
 * - that the amount spent on each closed day equals the cost in the day's stored usage rollups, after these are
 * updated. The verified amount is stored, and the next audit starts after it;
 * - if nothing moved during the read, the same for the days that are still open;
 * - the account's earnings as a seller, by the check of the context that has them.
 */
import { greatest, type NanoUsd } from '../../../platform/core/money.ts';
import type { Clock } from '../../../platform/core/ports.ts';
import { SKEW_SECONDS } from '../../../platform/core/ports.ts';
import { changeOf, type EntryKind } from '../ledger-entry.ts';
import { closedDay } from '../usage/rollups.ts';
import { type Cut, cutOf, largest, noTransferBetween, nothingBetween, spentAfter, sumOf } from './cut.ts';
import { EMPTY_TOTALS, type LedgerTotals, UNPROVEN_TOTALS } from './ledger-totals.ts';
import type { AuditedEarnings, AuditStore, ProvenUsage } from './ports.ts';
import {
  DAY_SECONDS,
  dateOf,
  readUsageRecords,
  readUsageRollups,
  type UsageRecords,
  type UsageRollups,
} from './usage.ts';

export interface AuditOptions {
  readonly clock: Clock;
  /** The time at which the reading of usage stops, in ms by the clock. A further audit continues it. */
  readonly stopMs?: number;
  /** Also reads every usage record, and compares the records with the wallet and the rollups. */
  readonly includesRecords?: boolean;
}

export interface AccountAudit {
  /** `unfinished`: the time limit was reached. The computed rollups are stored, and another audit continues there. */
  readonly verdict: 'exact' | 'drift' | 'unproven' | 'unfinished';
  readonly totals: LedgerTotals;
  /** The reason why the account is unproven. */
  readonly reason?: string;
  /** The checks that detected the drift. */
  readonly failed?: readonly string[];
}

/** Each further one means that a payment, or a transfer between shards, came between two readings milliseconds apart. */
const MAX_ATTEMPTS = 8;

export async function auditAccount(
  store: AuditStore,
  accountId: string,
  options: AuditOptions,
): Promise<AccountAudit> {
  for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts += 1) {
    const startedMs = options.clock();
    const state = await readState(store, accountId);
    if (state === undefined) return { verdict: 'exact', totals: EMPTY_TOTALS };
    const { cut, moved } = state;
    if (!moved)
      return verifyState({ store, accountId, state, options, through: lastClosedDay(state, startedMs) });
    if (cut.drift > 0n) return drifting({ ...EMPTY_TOTALS, drift: cut.drift }, ['shards']);
  }
  return { verdict: 'unproven', totals: UNPROVEN_TOTALS, reason: 'it changed at every reading' };
}

const drifting = (totals: LedgerTotals, failed: readonly string[]): AccountAudit => ({
  verdict: 'drift',
  totals: { ...totals, exact: false },
  failed,
});

/** A wallet and the ledger entries that it results from. */
interface State {
  readonly cut: Cut;
  readonly entries: Readonly<Record<EntryKind, NanoUsd>>;
  /** The sum of the money in the entries. */
  readonly cash: NanoUsd;
  readonly provenUsage: ProvenUsage;
  /** Undefined if they changed at every reading. */
  readonly earnings: AuditedEarnings | undefined;
  /** The shards, the entries and the earnings are not of one instant. */
  readonly moved: boolean;
  /** No call started or ended during the read. */
  readonly calm: boolean;
}

/**
 * Reads the wallet, or returns undefined if the account has none. Reads the verified usage after the shards, because
 * its days are removed from the shards after it is stored.
 */
async function readState(store: AuditStore, accountId: string): Promise<State | undefined> {
  const shards = await store.shards(accountId);
  if (shards.length === 0) return undefined;
  const entries: Record<EntryKind, NanoUsd> = {
    top_up: 0n,
    refund: 0n,
    purchase: 0n,
    purchase_refund: 0n,
    transfer: 0n,
  };
  let cash = 0n;
  const readEntries = async () => {
    for await (const entry of store.entries(accountId)) {
      entries[entry.kind] += entry.amount;
      cash += entry.cash;
    }
  };
  const [provenUsage, earnings] = await Promise.all([
    store.readProvenUsage(accountId),
    store.readEarnings(accountId),
    readEntries(),
  ]);
  const after = await store.shards(accountId);
  return {
    cut: cutOf(shards),
    entries,
    cash,
    provenUsage,
    earnings,
    moved: earnings === undefined || !noTransferBetween(shards, after),
    calm: nothingBetween(shards, after),
  };
}

/**
 * Returns the last UTC day whose calls are all settled, or the last verified one. An open hold keeps its day open until
 * it is recovered. The hold's record will be later than its id, and must then be included in the rollups.
 */
function lastClosedDay({ cut, provenUsage }: State, nowMs: number): number {
  const { oldest = Number.POSITIVE_INFINITY } = cut;
  const settled = Math.floor((oldest - SKEW_SECONDS) / DAY_SECONDS) - 1;
  return Math.max(Math.min(closedDay(nowMs), settled), provenUsage.through);
}

interface AuditContext {
  readonly store: AuditStore;
  readonly accountId: string;
  readonly state: State;
  readonly options: AuditOptions;
  readonly through: number;
}

async function verifyState(context: AuditContext): Promise<AccountAudit> {
  const { store, accountId, state, options, through } = context;
  const { clock, stopMs = Number.POSITIVE_INFINITY, includesRecords = false } = options;
  const { cut, provenUsage, calm } = state;
  const span = { accountId, provenThrough: provenUsage.through, through, holds: cut.holds };
  const reading = { open: calm, nowMs: clock(), late: () => clock() > stopMs };
  const rollups = await readUsageRollups(store, { ...span, ...reading });
  if (rollups === undefined) return { verdict: 'unfinished', totals: UNPROVEN_TOTALS };
  const records = includesRecords ? await readUsageRecords(store, span) : undefined;
  const isQuiet = rollups.open !== undefined && nothingBetween(cut.shards, await store.shards(accountId));
  const usage = { ...rollups, open: isQuiet ? rollups.open : undefined, records };
  const differences = new Map([
    ...differencesOf(state, through, usage),
    ...((await state.earnings?.differences({
      transfers: state.entries.transfer,
      nowSeconds: Math.floor(clock() / 1000),
      isWhole: includesRecords,
    })) ?? []),
  ]);
  const closed = provenUsage.cost + sumOf(rollups.days.values());
  const usageCost = closed + (usage.open ?? sumOf(spentAfter(cut, through).values()));
  const totals = totalsOf(state, usageCost, Math.floor(clock() / 1000));
  const failed = [...differences].flatMap(([check, by]) => (by === 0n ? [] : [check]));
  if (failed.length > 0) return drifting({ ...totals, drift: largest([...differences.values()]) }, failed);
  await advanceProvenUsage(context, rollups.days, closed);
  return { verdict: 'exact', totals };
}

interface Usage extends UsageRollups {
  readonly records: UsageRecords | undefined;
}

/** Returns the difference of each check. The largest is the drift: one error shows in several checks and counts once. */
function differencesOf(
  { cut, entries, cash, provenUsage }: State,
  through: number,
  { days, open, records }: Usage,
): ReadonlyMap<string, NanoUsd> {
  const spentByDay = spentAfter(cut, provenUsage.through);
  const later = sumOf(spentAfter(cut, through).values());
  const closed = [...new Set([...spentByDay.keys(), ...days.keys()])].filter((day) => day <= through);
  const dayOff = (day: number) => (spentByDay.get(day) ?? 0n) - (days.get(day) ?? 0n);
  const differences = new Map([
    ['shards', cut.drift],
    ['entries', creditOf(entries) - cut.received],
    ['money', cash - cut.netCash],
    ['payable money', greatest(0n, cut.payableCash - cut.netCash)],
    ['spent by day', cut.spentAmount - provenUsage.cost - sumOf(spentByDay.values())],
    ...closed.map((day) => [`rollups of ${dateOf(day)}`, dayOff(day)] as const),
    ['rollups of open days', open === undefined ? 0n : later - open],
  ]);
  if (records === undefined) return differences;
  const settled = creditOf(entries) - cut.balance - cut.heldAmount + cut.debt;
  return new Map([
    ...differences,
    ['rollups', settled - later - records.rollupCost],
    ['records', settled - later - records.closed],
    ['records of open days', open === undefined ? 0n : later - records.open],
    ...records.differences,
  ]);
}

const creditOf = (entries: State['entries']): NanoUsd =>
  sumOf(Object.entries(entries).map(([kind, amount]) => changeOf({ kind: kind as EntryKind, amount })));

const totalsOf = ({ cut, entries, earnings }: State, usage: NanoUsd, nowSeconds: number): LedgerTotals => ({
  ...EMPTY_TOTALS,
  ...earnings?.totals(nowSeconds),
  topUps: entries.top_up,
  refunds: entries.refund,
  purchases: entries.purchase,
  purchaseRefunds: entries.purchase_refund,
  transfers: entries.transfer,
  balances: cut.balance,
  held: cut.heldAmount,
  usage,
  owed: cut.debt,
});

/** Stores the verified usage, if there was any, and removes the costs by day that it replaces. */
async function advanceProvenUsage(
  { store, accountId, state: { cut, provenUsage }, through }: AuditContext,
  days: UsageRollups['days'],
  cost: NanoUsd,
): Promise<void> {
  const last = days.size === 0 ? provenUsage.through : through;
  const next = { through, cost, version: provenUsage.version };
  if (days.size > 0 && !(await store.storeProvenUsage(accountId, next))) return;
  const replaced = cut.shards.flatMap(({ id, spentByDay }) =>
    [...spentByDay.keys()].filter((day) => day <= last).map((day) => ({ shard: id, day })),
  );
  if (replaced.length > 0) await store.removeDays(replaced);
}
