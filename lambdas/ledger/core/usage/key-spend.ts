/** The spend of keys in the current day and month, from the stored rollups and the records since. */
import { windowsAt } from '../../../access/core/windows.ts';
import type { Spend, Spends } from '../cap-repair.ts';
import { type RollupDependencies, readRollups } from './account-rollups.ts';
import type { ReadingBudget } from './key-reading.ts';
import { DAY_HOURS, dayOfHour, HOUR_SECONDS } from './rollups.ts';

/** Returns the spend of each key; undefined if the budget did not suffice for every record. */
export async function spendByKey(
  dependencies: RollupDependencies & { readonly nowMs: number; readonly budget: ReadingBudget },
  accountId: string,
): Promise<Spends> {
  const now = new Date(dependencies.nowMs);
  const { day } = windowsAt(dependencies.nowMs);
  const start = Date.UTC(now.getUTCFullYear(), now.getUTCMonth()) / 1000 / HOUR_SECONDS;
  const span = { start, end: (day + 1) * DAY_HOURS };
  const { rows, complete } = await readRollups(dependencies, accountId, span);
  if (!complete) return undefined;
  const spends = new Map<string, Spend>();
  for (const { keyId, hour, cost } of rows) {
    const sum = spends.get(keyId) ?? { day: 0n, month: 0n };
    const today = dayOfHour(hour) === day ? cost : 0n;
    spends.set(keyId, { day: sum.day + today, month: sum.month + cost });
  }
  return spends;
}

/** The same sources, of which a reading reads the records of one live key only, and stores nothing. */
export function ofOneKey(
  { calls, store }: Omit<RollupDependencies, 'keys'>,
  keyId: string,
): RollupDependencies {
  return {
    calls,
    keys: { since: async () => ({ live: [keyId], later: [] }) },
    store: {
      ...store,
      async progress(accountId) {
        const { open, ...progress } = await store.progress(accountId);
        return { ...progress, open: new Map([...open].filter(([each]) => each === keyId)) };
      },
      storeProgress: async () => false,
      storeDay: async () => {},
    },
  };
}
