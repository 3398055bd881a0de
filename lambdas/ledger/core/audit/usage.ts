/**
 * The usage of an account that its audit compares with the wallet: from its stored rollups, and from all of its
 * records.
 */
import type { NanoUsd } from '../../../platform/core/money.ts';
import { readRollups } from '../usage/account-rollups.ts';
import { ReadingBudget } from '../usage/key-reading.ts';
import { DAY_HOURS, dayOfHour, endHour, HOUR_SECONDS, type RollupRow } from '../usage/rollups.ts';
import type { AuditStore, WalletShard } from './ports.ts';

export const DAY_SECONDS = DAY_HOURS * HOUR_SECONDS;

/** Days are UTC days since the epoch. */
export interface UsageSpan {
  readonly accountId: string;
  /** The last verified day. */
  readonly provenThrough: number;
  /** The last closed day; at least `provenThrough`. */
  readonly through: number;
  /** Open holds. What their calls cost is still in the hold. */
  readonly holds: WalletShard['holds'];
}

export interface UsageRollups {
  /** The stored totals of the days after `provenThrough` up to and including `through` that have any. */
  readonly days: ReadonlyMap<number, NanoUsd>;
  /** The cost of later days, without held calls. Undefined if it was not read, or if it changed during the read. */
  readonly open: NanoUsd | undefined;
}

export interface RollupSpan extends UsageSpan {
  /** True if later days are requested. */
  readonly open: boolean;
  readonly nowMs: number;
  /** Returns whether the reading must stop. */
  readonly late: () => boolean;
}

/**
 * Updates the stored rollups up to and including the last closed day, and returns them. Returns undefined if the time
 * limit is reached before; another read continues there.
 */
export async function readUsageRollups(
  store: AuditStore,
  span: RollupSpan,
): Promise<UsageRollups | undefined> {
  const { accountId, provenThrough, through, holds, open } = span;
  const recordedCost = open ? await store.recordedCost(holds) : 0n;
  const rows = open ? await updatedRows(store, span, endHour(span.nowMs)) : undefined;
  // The closed days are verified separately if there is no time for the others.
  const rollupRows = rows ?? (await updatedRows(store, span, (through + 1) * DAY_HOURS));
  if (rollupRows === undefined) return undefined;
  const days = new Map<number, NanoUsd>();
  // Rows that this read has computed do not verify the stored ones.
  if (rollupRows.some(({ hour }) => dayOfHour(hour) <= through))
    for (const { day, rows } of await store.rollups.store.days(accountId, provenThrough + 1, through))
      days.set(day, (days.get(day) ?? 0n) + costOf(rows));
  // A call that was recorded meanwhile may be in the rows or not.
  const isSteady = rows !== undefined && (await store.recordedCost(holds)) === recordedCost;
  const later = rollupRows.filter(({ hour }) => dayOfHour(hour) > through);
  return { days, open: isSteady ? costOf(later) - recordedCost : undefined };
}

const costOf = (rows: readonly RollupRow[]): NanoUsd => rows.reduce((sum, { cost }) => sum + cost, 0n);

/** Returns the rows of the days after `provenThrough`, up to an hour. Days that an open hold keeps open are not stored. */
async function updatedRows(
  { rollups }: AuditStore,
  { accountId, provenThrough, through, nowMs, late }: RollupSpan,
  end: number,
): Promise<readonly RollupRow[] | undefined> {
  const { rows, complete } = await readRollups(
    {
      ...rollups,
      nowMs,
      budget: new ReadingBudget(Number.POSITIVE_INFINITY, late),
      closed: (through + 1) * DAY_HOURS,
      maxLaterKeys: Number.POSITIVE_INFINITY,
    },
    accountId,
    { start: (provenThrough + 1) * DAY_HOURS, end },
  );
  return complete ? rows : undefined;
}

/** All records of an account, and all of its stored rollups. */
export interface UsageRecords {
  /** The cost of the records through the last closed day. */
  readonly closed: NanoUsd;
  /** The cost of later records, without held calls. */
  readonly open: NanoUsd;
  /** The total of the stored rollups up to and including the last closed day. */
  readonly rollupCost: NanoUsd;
  /** The rollups less the records, for each key and closed day on which they differ. */
  readonly differences: ReadonlyMap<string, NanoUsd>;
}

export async function readUsageRecords(
  store: AuditStore,
  { accountId, through, holds }: UsageSpan,
): Promise<UsageRecords> {
  const heldIds = new Set(holds.map(({ id }) => id));
  const differences = new Map<string, NanoUsd>();
  const add = (keyId: string, day: number, cost: NanoUsd) => {
    const name = `${keyId} on ${dateOf(day)}`;
    differences.set(name, (differences.get(name) ?? 0n) + cost);
  };
  // A lease is younger than every closed day, so all that was charged from it is later.
  let open = holds.reduce((sum, { settled = 0n }) => sum + settled, 0n);
  let [closed, rollupCost] = [0n, 0n];
  for (const { keyId, day, rows } of await store.rollups.store.days(accountId, 0, through)) {
    rollupCost += costOf(rows);
    add(keyId, day, costOf(rows));
  }
  for await (const { keyId, id, lease = id, created, cost } of store.usage(accountId)) {
    const day = Math.floor(created / DAY_SECONDS);
    if (day <= through) {
      closed += cost;
      add(keyId, day, -cost);
    } else if (!heldIds.has(lease)) open += cost;
  }
  return { closed, open, rollupCost, differences: new Map([...differences].filter(([, by]) => by !== 0n)) };
}

export const dateOf = (day: number): string => new Date(day * DAY_SECONDS * 1000).toISOString().slice(0, 10);
