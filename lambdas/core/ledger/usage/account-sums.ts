/**
 * The sums of an account's calls by the hour. Hours are summed from records once, when they are closed, and stored; the
 * others are summed at each reading. A stored hour is a function of records that do not change any more, so that two
 * writers store the same and a reading that is killed loses nothing but its time.
 */
import { DAY_SECONDS, SETTLED_SECONDS, SKEW_SECONDS } from '../audit/usage-reading.ts';
import { type KeyRead, type ReadingBudget, type ReadingDependencies, readKey } from './key-reading.ts';
import type { AccountKeys, KeyDay, SumProgress, SumStore } from './ports.ts';
import { dayOfHour, HOUR_SECONDS, hourOf, type SumRow } from './sums.ts';
import { timeOfId } from './times.ts';

/** Queries at a time. */
const AT_ONCE = 16;

/** An item of DynamoDB has room for about ten times as many. */
const MOST_AHEAD = 1_000;

export interface SumDependencies extends ReadingDependencies {
  readonly keys: Pick<AccountKeys, 'all'>;
  readonly store: SumStore;
}

/** Whole hours since the epoch, `end` exclusive. */
export interface HourSpan {
  readonly start: number;
  readonly end: number;
}

export interface AccountSums {
  readonly rows: readonly (SumRow & { readonly keyId: string })[];
  /** The rows are of all records that were settled when the reading began. */
  readonly complete: boolean;
}

/** Hours before this one are closed: what was created in them is written, whatever became of its call. */
export const closedHour = (nowMs: number): number =>
  Math.floor((nowMs / 1000 - SETTLED_SECONDS - SKEW_SECONDS) / HOUR_SECONDS);

/** What is known of one key before its records are read. */
interface KeyState {
  readonly keyId: string;
  /** The rows of hours before this one are stored. */
  readonly from: number;
}

/**
 * The sums of the hours of a span. What has closed since the last reading is stored first, so that a reading which its
 * budget ends is continued by the next.
 */
export async function readSums(
  {
    nowMs,
    budget,
    ...dependencies
  }: SumDependencies & { readonly nowMs: number; readonly budget: ReadingBudget },
  accountId: string,
  { start, end }: HourSpan,
): Promise<AccountSums> {
  const { store, keys } = dependencies;
  // The days are read after the progress: they hold at least what it says.
  const [progress, keyIds] = await Promise.all([store.progress(accountId), keys.all(accountId)]);
  const states = keyIds.map((keyId) => ({ keyId, from: fromOf(progress, keyId) }));
  const last = Math.min(end, hourOf(nowMs / 1000 + SKEW_SECONDS) + 1);
  const closed = Math.min(closedHour(nowMs), last);
  const unread = states.filter(({ from }) => from < last).toSorted((a, b) => a.from - b.from);
  const firstDay = Math.min(dayOfHour(start), ...unread.map(({ from }) => dayOfHour(from)));
  const days = await store.days(accountId, firstDay, dayOfHour(Math.max(end, last) - 1));
  const bases = new Map(days.map((day) => [`${day.keyId} ${day.day}`, day]));
  const reads = await inParallel(unread, ({ keyId, from }) =>
    readKey(
      dependencies,
      {
        ...{ accountId, keyId, from, end: last, closed: Math.max(from, closed) },
        base: bases.get(`${keyId} ${dayOfHour(from)}`),
      },
      budget,
    ),
  );
  const known = new Map(unread.map(({ keyId }, at) => [keyId, reads[at]]));
  if (budget.read > 0) await advance(store, accountId, { progress, states, known, closed });
  const rows = [
    ...storedRows(days, progress),
    ...unread.flatMap(({ keyId }, at) => (reads[at]?.rows ?? []).map((row) => ({ ...row, keyId }))),
  ].filter(({ hour }) => hour >= start && hour < end);
  return { rows, complete: reads.every(({ whole }) => whole) };
}

/**
 * Stores the sums of an account through the last closed UTC day; returns whether they are, which they are not when the
 * budget was not enough. Reads one item when there is nothing to do.
 */
export async function updateSums(
  dependencies: SumDependencies & { readonly nowMs: number; readonly budget: ReadingBudget },
  accountId: string,
): Promise<boolean> {
  const dayHours = DAY_SECONDS / HOUR_SECONDS;
  const until = dayOfHour(closedHour(dependencies.nowMs)) * dayHours;
  const { through } = await dependencies.store.progress(accountId);
  if (through >= until) return true;
  const { complete } = await readSums(dependencies, accountId, { start: until, end: until });
  return complete;
}

/** A key has no calls before it is made. */
const madeIn = (keyId: string): number => Math.max(0, hourOf(timeOfId(keyId) / 1000 - SKEW_SECONDS));

const fromOf = ({ through, ahead }: SumProgress, keyId: string): number =>
  Math.max(ahead.get(keyId) ?? through, madeIn(keyId));

/** The rows of the hours that the progress names; what a later writer has stored beyond them is read from records. */
const storedRows = (days: readonly KeyDay[], progress: SumProgress) =>
  days.flatMap(({ keyId, rows }) => {
    const from = fromOf(progress, keyId);
    return rows.filter(({ hour }) => hour < from).map((row) => ({ ...row, keyId }));
  });

interface Reading {
  readonly progress: SumProgress;
  readonly states: readonly KeyState[];
  readonly known: ReadonlyMap<string, KeyRead | undefined>;
  readonly closed: number;
}

/** Where another reading was first, its progress is as true, and this one's is made again by the next. */
async function advance(
  store: SumStore,
  accountId: string,
  { progress, states, known, closed }: Reading,
): Promise<void> {
  const reached = states.map(({ keyId, from }) => ({ keyId, hour: known.get(keyId)?.reached ?? from }));
  const through = Math.max(progress.through, Math.min(closed, ...reached.map(({ hour }) => hour)));
  const ahead = reached.filter(({ keyId, hour }) => hour > Math.max(through, madeIn(keyId)));
  const entries = ahead.slice(0, MOST_AHEAD).map(({ keyId, hour }) => [keyId, hour] as const);
  await store.storeProgress(accountId, { ...progress, through, ahead: new Map(entries) });
}

/** The results in the order of the items. */
async function inParallel<T, R>(items: readonly T[], run: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async () => {
    for (let at = next++; at < items.length; at = next++) results[at] = await run(items[at] as T);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return results;
}
