/**
 * The usage rollups of an account by the hour. Closed hours are rolled up from records once and stored; the others are
 * rolled up at each read. A stored hour depends only on records that no longer change. Two writers therefore store the
 * same, and an interrupted read loses only its time.
 */

import { SKEW_SECONDS } from '../../../platform/core/ports.ts';
import { type ReadingBudget, type ReadingDependencies, readKey } from './key-reading.ts';
import type { AccountKeys, KeyDay, OpenKey, RollupProgress, RollupStore } from './ports.ts';
import {
  closedHour,
  dayOfHour,
  endHour,
  HOUR_SECONDS,
  hourOf,
  type RollupRow,
  SETTLED_SECONDS,
  timeOfId,
} from './rollups.ts';

/** Queries at a time. */
const AT_ONCE = 16;

/** More than an account may have that are live; an item of DynamoDB has room for about five times as many. */
const MAX_OPEN_KEYS = 1_000;

/** The maximum number of keys that a query checks in addition to those. */
const MAX_LATER_KEYS = 2_000;

/** An index lists a key within seconds of its making. */
const LISTED_MS = HOUR_SECONDS * 1000;

export interface RollupDependencies extends ReadingDependencies {
  readonly keys: Pick<AccountKeys, 'since'>;
  readonly store: RollupStore;
}

/** Whole hours since the epoch, `end` exclusive. */
export interface HourSpan {
  readonly start: number;
  readonly end: number;
}

export interface AccountRollups {
  readonly rows: readonly (RollupRow & { readonly keyId: string })[];
  /** The rows include all records that were settled when the read started. */
  readonly complete: boolean;
}

/** The state of one key before its records are read. */
interface KeyState {
  readonly keyId: string;
  /** The rows of hours before this one are stored. */
  readonly from: number;
}

export interface RollupReading extends RollupDependencies {
  readonly nowMs: number;
  readonly budget: ReadingBudget;
  /** Only hours before this one are stored; the closed ones by default. */
  readonly closed?: number;
  /** The maximum number of checked keys in addition to those that are live or open. */
  readonly maxLaterKeys?: number;
}

/**
 * Returns the usage rollups of the hours of a span. Hours that have closed since the last read are stored first, so
 * that the next read continues one that its budget ends. An empty span stores the closed hours before it.
 */
export async function readRollups(
  {
    nowMs,
    budget,
    closed: storable = closedHour(nowMs),
    maxLaterKeys = MAX_LATER_KEYS,
    ...dependencies
  }: RollupReading,
  accountId: string,
  { start, end }: HourSpan,
): Promise<AccountRollups> {
  const { store, keys } = dependencies;
  // The days are read after the progress: they contain at least the hours that it reports.
  const progress = await store.progress(accountId);
  const { live, later } = await keys.since(accountId, progress.endedTo, maxLaterKeys);
  const states = statesOf(progress, live, later);
  const last = Math.min(end, endHour(nowMs));
  const closed = Math.min(storable, last);
  const unread = states.filter(({ from }) => from < last);
  const firstDay = dayOfHour(unread.reduce((first, { from }) => Math.min(first, from), start));
  const lastDay = dayOfHour(Math.max(end, last) - 1);
  // An empty span, of which everything is stored, has no days.
  const days = firstDay > lastDay ? [] : await store.days(accountId, firstDay, lastDay);
  const bases = new Map(days.map((day) => [`${day.keyId} ${day.day}`, day]));
  const reads = await inParallel(unread, ({ keyId, from }) =>
    readKey(
      dependencies,
      {
        accountId,
        keyId,
        from,
        end: last,
        closed: Math.max(from, closed),
        base: bases.get(`${keyId} ${dayOfHour(from)}`),
      },
      budget,
    ),
  );
  const readsByKey = new Map(unread.map(({ keyId }, at) => [keyId, reads[at]]));
  const reached = new Map(states.map(({ keyId, from }) => [keyId, readsByKey.get(keyId)?.reached ?? from]));
  const next = { ...progress, ...endingsOf({ progress, live, reached, nowMs }) };
  // If another read was first, its progress is equally valid, and the next read repeats this one's.
  if (!hasSameProgress(next, progress)) await store.storeProgress(accountId, next);
  const rows = [
    ...storedRows(days, progress),
    ...unread.flatMap(({ keyId }, at) => (reads[at]?.rows ?? []).map((row) => ({ ...row, keyId }))),
  ].filter(({ hour }) => hour >= start && hour < end);
  return { rows, complete: later.length < maxLaterKeys && reads.every(({ isComplete }) => isComplete) };
}

const hasSameProgress = (next: RollupProgress, { endedTo, open }: RollupProgress): boolean =>
  next.endedTo === endedTo &&
  next.open.size === open.size &&
  [...next.open].every(([keyId, { reached, end }]) => {
    const openKey = open.get(keyId);
    return openKey?.reached === reached && openKey.end === end;
  });

/** The keys that may have rows to store: first those that are open or live, the furthest behind before others. */
function statesOf(progress: RollupProgress, live: readonly string[], later: readonly string[]): KeyState[] {
  const first = new Set([...live, ...progress.open.keys()]);
  const stateOf = (keyId: string) => ({ keyId, from: fromOf(progress, keyId) });
  return [
    ...[...first].map(stateOf).toSorted((a, b) => a.from - b.from),
    ...later.filter((keyId) => !first.has(keyId)).map(stateOf),
  ];
}

/** Returns the hour in which a key was created: it has no calls before. */
const creationHourOf = (keyId: string): number => Math.max(0, hourOf(timeOfId(keyId) / 1000 - SKEW_SECONDS));

function fromOf({ endedTo, open }: RollupProgress, keyId: string): number {
  const isEnded = keyId <= endedTo && !open.has(keyId);
  return isEnded ? Number.POSITIVE_INFINITY : Math.max(open.get(keyId)?.reached ?? 0, creationHourOf(keyId));
}

/** The rows of the hours that the progress names; what a later writer has stored beyond them is read from records. */
const storedRows = (days: readonly KeyDay[], progress: RollupProgress) =>
  days.flatMap(({ keyId, rows }) => {
    const from = fromOf(progress, keyId);
    return rows.filter(({ hour }) => hour < from).map((row) => ({ ...row, keyId }));
  });

interface Endings {
  readonly progress: RollupProgress;
  /** The keys that were live when the read started. */
  readonly live: readonly string[];
  readonly reached: ReadonlyMap<string, number>;
  readonly nowMs: number;
}

/**
 * Returns the keys that have ended: those that are not live, and whose rows are stored up to the last possible hour.
 */
function endingsOf({ progress, live, reached, nowMs }: Endings): Pick<RollupProgress, 'endedTo' | 'open'> {
  const isLive = new Set(live);
  // A call that started while its key was live may be settled or recovered up to this much later.
  const lastHour = hourOf(nowMs / 1000 + SETTLED_SECONDS + SKEW_SECONDS) + 1;
  const stateOf = (keyId: string): OpenKey => ({
    reached: reached.get(keyId) ?? creationHourOf(keyId),
    end: isLive.has(keyId) ? undefined : (progress.open.get(keyId)?.end ?? lastHour),
  });
  let { endedTo } = progress;
  const open = new Map<string, OpenKey>();
  // Live keys are open wherever they are, so that the records of none are read again while others are waited for.
  for (const keyId of [...progress.open.keys(), ...live]) {
    const state = stateOf(keyId);
    if (state.end === undefined || state.reached < state.end || keyId > endedTo) open.set(keyId, state);
  }
  for (const keyId of [...reached.keys()].filter((id) => id > progress.endedTo).toSorted()) {
    const isFull = open.size >= MAX_OPEN_KEYS && !open.has(keyId);
    if (timeOfId(keyId) > nowMs - LISTED_MS || isFull) break;
    endedTo = keyId;
    open.set(keyId, stateOf(keyId));
  }
  return { endedTo, open };
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
