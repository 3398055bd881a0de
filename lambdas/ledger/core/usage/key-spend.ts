/** The spend of keys in the current windows of caps, from the stored rollups and the records since. */
import { byWindow } from '../../../access/core/keys/caps.ts';
import { capStartsMs } from '../../../access/core/keys/windows.ts';
import type { Spend, Spends } from '../cap-repair.ts';
import { type RollupDependencies, readRollups } from './account-rollups.ts';
import type { ReadingBudget } from './key-reading.ts';
import { DAY_HOURS } from './rollups.ts';

const HOUR_MS = 3_600_000;

/** Returns the spend of each key; undefined if the budget did not suffice for every record. */
export async function spendByKey(
  dependencies: RollupDependencies & { readonly nowMs: number; readonly budget: ReadingBudget },
  accountId: string,
): Promise<Spends> {
  const { nowMs } = dependencies;
  const starts = capStartsMs(nowMs);
  const startMs = Math.min(...Object.values(starts));
  const span = { start: startMs / HOUR_MS, end: starts.day / HOUR_MS + DAY_HOURS };
  const { rows, complete } = await readRollups(dependencies, accountId, span);
  if (!complete) return undefined;
  const spends = new Map<string, Spend>();
  for (const { keyId, hour, cost } of rows) {
    const before = spends.get(keyId);
    const sum = byWindow(
      ({ window }) => (before?.[window] ?? 0n) + (hour * HOUR_MS >= starts[window] ? cost : 0n),
    );
    spends.set(keyId, sum);
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
