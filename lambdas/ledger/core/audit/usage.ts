/** The usage of an account that its audit compares with the wallet: by its stored sums, and by all of its records. */
import type { NanoUsd } from '../../../platform/core/money.ts';
import { readSums } from '../usage/account-sums.ts';
import { ReadingBudget } from '../usage/key-reading.ts';
import { DAY_HOURS, dayOfHour, endHour, HOUR_SECONDS, type SumRow } from '../usage/sums.ts';
import type { AuditStore, WalletShard } from './ports.ts';

export const DAY_SECONDS = DAY_HOURS * HOUR_SECONDS;

/** Days are UTC days since the epoch. */
export interface UsageSpan {
  readonly accountId: string;
  /** The last proven day. */
  readonly proven: number;
  /** The last closed day; at least `proven`. */
  readonly through: number;
  /** Open holds. What their calls cost is still in the hold. */
  readonly holds: WalletShard['holds'];
}

export interface UsageSums {
  /** The stored sums of the days after `proven` through `through` that have any. */
  readonly days: ReadonlyMap<number, NanoUsd>;
  /** The cost of later days, without held calls. Undefined if it was not read, or if it changed during the read. */
  readonly open: NanoUsd | undefined;
}

export interface SumsSpan extends UsageSpan {
  /** True if later days are requested. */
  readonly open: boolean;
  readonly nowMs: number;
  /** Returns whether the reading must stop. */
  readonly late: () => boolean;
}

/**
 * Brings the stored sums up to date through the last closed day and returns those that are stored then. Returns undefined
 * when the time is over before; another reading continues there.
 */
export async function readUsageSums(store: AuditStore, wanted: SumsSpan): Promise<UsageSums | undefined> {
  const { accountId, proven, through, holds, open } = wanted;
  const held = open ? await store.recordedCost(holds) : 0n;
  const rows = open ? await updatedRows(store, wanted, endHour(wanted.nowMs)) : undefined;
  // The closed days are proven by themselves where there is no time for the others.
  const found = rows ?? (await updatedRows(store, wanted, (through + 1) * DAY_HOURS));
  if (found === undefined) return undefined;
  const days = new Map<number, NanoUsd>();
  // What this reading has summed proves nothing of what is stored.
  if (found.some(({ hour }) => dayOfHour(hour) <= through))
    for (const { day, rows } of await store.sums.store.days(accountId, proven + 1, through))
      days.set(day, (days.get(day) ?? 0n) + costOf(rows));
  // A call that was recorded meanwhile may be in the rows or not.
  const isSteady = rows !== undefined && (await store.recordedCost(holds)) === held;
  const later = found.filter(({ hour }) => dayOfHour(hour) > through);
  return { days, open: isSteady ? costOf(later) - held : undefined };
}

const costOf = (rows: readonly SumRow[]): NanoUsd => rows.reduce((sum, { cost }) => sum + cost, 0n);

/** The rows of the days after `proven`, up to an hour. Nothing is stored of days that an open hold keeps open. */
async function updatedRows(
  { sums }: AuditStore,
  { accountId, proven, through, nowMs, late }: SumsSpan,
  end: number,
): Promise<readonly SumRow[] | undefined> {
  const { rows, complete } = await readSums(
    {
      ...sums,
      nowMs,
      budget: new ReadingBudget(Number.POSITIVE_INFINITY, late),
      closed: (through + 1) * DAY_HOURS,
      maxLaterKeys: Number.POSITIVE_INFINITY,
    },
    accountId,
    { start: (proven + 1) * DAY_HOURS, end },
  );
  return complete ? rows : undefined;
}

/** All records of an account, and all of its stored sums. */
export interface UsageRecords {
  /** The cost of the records through the last closed day. */
  readonly closed: NanoUsd;
  /** The cost of later records, without held calls. */
  readonly open: NanoUsd;
  /** The stored sums through the last closed day. */
  readonly sums: NanoUsd;
  /** The sums less the records, for each key and closed day on which they differ. */
  readonly differences: ReadonlyMap<string, NanoUsd>;
}

export async function readUsageRecords(
  store: AuditStore,
  { accountId, through, holds }: UsageSpan,
): Promise<UsageRecords> {
  const held = new Set(holds.map(({ id }) => id));
  const differences = new Map<string, NanoUsd>();
  const add = (keyId: string, day: number, cost: NanoUsd) => {
    const name = `${keyId} on ${dateOf(day)}`;
    differences.set(name, (differences.get(name) ?? 0n) + cost);
  };
  let [closed, open, sums] = [0n, 0n, 0n];
  for (const { keyId, day, rows } of await store.sums.store.days(accountId, 0, through)) {
    sums += costOf(rows);
    add(keyId, day, costOf(rows));
  }
  for await (const { keyId, id, created, cost } of store.usage(accountId)) {
    const day = Math.floor(created / DAY_SECONDS);
    if (day <= through) {
      closed += cost;
      add(keyId, day, -cost);
    } else if (!held.has(id)) open += cost;
  }
  return { closed, open, sums, differences: new Map([...differences].filter(([, by]) => by !== 0n)) };
}

export const dateOf = (day: number): string => new Date(day * DAY_SECONDS * 1000).toISOString().slice(0, 10);
