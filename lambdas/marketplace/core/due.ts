/**
 * Processes the items of the market whose time has come. The index is a hint, and the item decides: two workers, a
 * repeated run and a crash at any point change nothing twice. An item that fails stays due, and the next run tries again.
 */
import type { NanoUsd } from '../../platform/core/money.ts';
import type { Clock, Log } from '../../platform/core/ports.ts';

/** An item whose time has come, by the index. */
export interface DueItem {
  readonly ownerId: string;
  /** Its type, `#` and its name. */
  readonly item: string;
  readonly dueAt: number;
}

export interface DueStore {
  /** A page of the due items of a shard, the oldest first. */
  due(
    shard: number,
    nowSeconds: number,
    after?: DueItem,
  ): Promise<{ readonly items: readonly DueItem[]; readonly next: DueItem | undefined }>;
}

/** The due items are spread over this many partitions of their index. */
export const DUE_SHARDS = 8;

export interface DueResult {
  readonly matured: number;
  readonly held: number;
  readonly returned: number;
  /** Subscriptions whose next period was started. */
  readonly renewed: number;
  /** Subscriptions whose renewal the credit did not cover. */
  readonly unpaid: number;
  /** Subscriptions that have ended. */
  readonly ended: number;
  /** Builds whose upload or scan was overdue. */
  readonly builds: number;
  readonly failed: number;
  /** The price of the sales that were held. */
  readonly heldAmount: NanoUsd;
  /** Seconds since the oldest item that is still due was due. */
  readonly oldestSeconds: number;
}

export type DueCounts = { -readonly [Name in keyof DueResult]: DueResult[Name] };

/** Does what is due of one item, if the item is still due, and counts it. */
export type DueProcessor = (item: DueItem, counts: DueCounts) => Promise<void>;

export interface DueDependencies {
  readonly store: DueStore;
  /** The processors by the type of their items. */
  readonly processors: Readonly<Record<string, DueProcessor>>;
  readonly clock: Clock;
  readonly log: Log;
  /** The time after which no further item is started; ms by the clock. */
  readonly stopMs: number;
}

/** Processes all that is due, the shards of the index side by side. */
export async function processDue(dependencies: DueDependencies): Promise<DueResult> {
  const counts: DueCounts = {
    matured: 0,
    held: 0,
    returned: 0,
    renewed: 0,
    unpaid: 0,
    ended: 0,
    builds: 0,
    failed: 0,
    heldAmount: 0n,
    oldestSeconds: 0,
  };
  const shards = Array.from({ length: DUE_SHARDS }, (_, shard) => shard);
  await Promise.all(shards.map((shard) => processShard(dependencies, shard, counts)));
  return counts;
}

async function processShard(dependencies: DueDependencies, shard: number, counts: DueCounts): Promise<void> {
  const { store, clock, stopMs } = dependencies;
  const nowSeconds = Math.floor(clock() / 1000);
  for (let after: DueItem | undefined; ; ) {
    const { items, next } = await store.due(shard, nowSeconds, after);
    for (const item of items) {
      const isDone = clock() < stopMs && (await processSafely(dependencies, item, counts));
      if (!isDone) counts.oldestSeconds = Math.max(counts.oldestSeconds, nowSeconds - item.dueAt);
    }
    if (next === undefined || clock() >= stopMs) return;
    after = next;
  }
}

/** Returns whether the item is not due any more. A failure does not affect the other items. */
async function processSafely(
  { processors, log }: DueDependencies,
  due: DueItem,
  counts: DueCounts,
): Promise<boolean> {
  const { ownerId, item } = due;
  try {
    const process = processors[item.split('#')[0] ?? ''];
    if (process === undefined) throw new Error('items of this type are never due');
    await process(due, counts);
    return true;
  } catch (failure) {
    log.error('a due item could not be processed', { ownerId, item, failure: String(failure) });
    counts.failed += 1;
    return false;
  }
}
