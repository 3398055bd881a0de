/** The totals of usage rollups: by day, by model and by key. */
import type { UsageRollupsBody } from './types.ts';

const DAY = 86_400;

/** The first second of a time's UTC month. */
export const monthStart = (now = new Date()): number =>
  Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1) / 1000;

/** The first second of a time's UTC day. */
export const dayStart = (nowSeconds = Date.now() / 1000): number => Math.floor(nowSeconds / DAY) * DAY;

export interface DaySpend {
  /** The start of the day in seconds since the epoch, UTC. */
  readonly start: number;
  readonly cost: bigint;
}

/** Every day since `start`, those without a call too. */
export function daysOf(
  rollups: Pick<UsageRollupsBody, 'data'>,
  start: number,
  nowSeconds: number,
): readonly DaySpend[] {
  const costs = new Map<number, bigint>();
  for (const { start: day, cost } of rollups.data) costs.set(day, (costs.get(day) ?? 0n) + cost);
  const count = Math.floor((nowSeconds - start) / DAY) + 1;
  return Array.from({ length: count }, (_, at) => {
    const day = start + at * DAY;
    return { start: day, cost: costs.get(day) ?? 0n };
  });
}

export interface ModelSpend {
  readonly model: string;
  readonly cost: bigint;
  readonly calls: number;
}

/** Returns the cost of each model, the highest first. */
export function byModel(rollups: Pick<UsageRollupsBody, 'data'>): readonly ModelSpend[] {
  const models = new Map<string, ModelSpend>();
  for (const { model: named, cost, calls } of rollups.data) {
    const model = named ?? 'unknown';
    const before = models.get(model) ?? { cost: 0n, calls: 0 };
    models.set(model, { model, cost: before.cost + cost, calls: before.calls + calls });
  }
  return [...models.values()].toSorted((a, b) => (a.cost < b.cost ? 1 : -1));
}

export interface KeySpendRow {
  readonly today: bigint;
  readonly month: bigint;
}

/** Returns the cost of each key's settled calls since the start of the month, from rollups by day and key. */
export function byKey(
  rollups: Pick<UsageRollupsBody, 'data'>,
  today: number,
): ReadonlyMap<string, KeySpendRow> {
  const keys = new Map<string, KeySpendRow>();
  for (const { api_key: key, start, cost } of rollups.data) {
    if (key === undefined) continue;
    const before = keys.get(key) ?? { today: 0n, month: 0n };
    keys.set(key, {
      today: before.today + (start === today ? cost : 0n),
      month: before.month + cost,
    });
  }
  return keys;
}

/** Returns the total of the keys that are not among `keyIds`. */
export function spendOfOthers(
  spend: ReadonlyMap<string, KeySpendRow>,
  keyIds: readonly string[],
): KeySpendRow {
  const others = [...spend].filter(([id]) => !keyIds.includes(id)).map(([, row]) => row);
  return {
    today: others.reduce((sum, { today }) => sum + today, 0n),
    month: others.reduce((sum, { month }) => sum + month, 0n),
  };
}

const SOONEST_MS = 2_000;
const LATEST_MS = 10_000;

/**
 * Returns the wait in ms before incomplete rollups are requested again. Each response has read further, and a long
 * history takes many. `responseCount` is the number of responses so far.
 */
export const incompleteRollupsDelayMs = (responseCount: number): number =>
  Math.min(LATEST_MS, SOONEST_MS * 2 ** Math.max(0, responseCount - 1));
