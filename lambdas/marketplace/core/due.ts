/**
 * Processes the items of the market whose time has come. The index is a hint, and the item decides: two workers, a
 * repeated run and a crash at any point change nothing twice. An item that fails stays due, and the next run tries again.
 */
import type { NanoUsd } from '../../platform/core/money.ts';
import type { Clock, Log } from '../../platform/core/ports.ts';

/** An item whose time has come, by the index. */
export interface DueItem {
  readonly ownerId: string;
  /** Its type, and a name after `#` if its owner may have several. */
  readonly item: string;
  readonly dueAt: number;
}

/** The name of an item: everything after its type. */
export const nameOf = ({ item }: DueItem): string => item.slice(item.indexOf('#') + 1);

export interface DueStore {
  /** A page of the due items of a partition of the index, the oldest first. */
  due(
    partition: string,
    nowSeconds: number,
    after?: DueItem,
  ): Promise<{ readonly items: readonly DueItem[]; readonly next: DueItem | undefined }>;
}

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
  /** Payouts that were started by a schedule. */
  readonly payoutsStarted: number;
  readonly payoutsAdvanced: number;
  readonly failed: number;
  /** The price of the sales that were held. */
  readonly heldAmount: NanoUsd;
  /** Seconds since the oldest item that is still due was due. Payouts have their own count. */
  readonly oldestSeconds: number;
  /** Seconds by which the payout that is furthest behind is late. */
  readonly latestPayoutSeconds: number;
}

export type DueCounts = { -readonly [Name in keyof DueResult]: DueResult[Name] };

/** Does what is due of one item, if the item is still due, and counts it. */
export type DueProcessor = (item: DueItem, counts: DueCounts) => Promise<void>;

/** Items that are processed together, in partitions of the index that hold no other ones. */
export interface DueLane {
  readonly partitions: readonly string[];
  /** The number of items of a partition that are processed at once. */
  readonly concurrent: number;
  /** The count of the seconds for which an item of the lane stays due. */
  readonly late: 'oldestSeconds' | 'latestPayoutSeconds';
  /** The processors by the type of their items. */
  readonly processors: Readonly<Record<string, DueProcessor>>;
}

export interface DueDependencies {
  readonly store: DueStore;
  /** One starts when the one before it has ended. */
  readonly lanes: readonly DueLane[];
  readonly clock: Clock;
  readonly log: Log;
  /** The time after which no further item is started; ms by the clock. */
  readonly stopMs: number;
}

/** Processes all that is due, the partitions of a lane side by side. */
export async function processDue(dependencies: DueDependencies): Promise<DueResult> {
  const counts: DueCounts = {
    matured: 0,
    held: 0,
    returned: 0,
    renewed: 0,
    unpaid: 0,
    ended: 0,
    builds: 0,
    payoutsStarted: 0,
    payoutsAdvanced: 0,
    failed: 0,
    heldAmount: 0n,
    oldestSeconds: 0,
    latestPayoutSeconds: 0,
  };
  for (const lane of dependencies.lanes)
    await Promise.all(
      lane.partitions.map((partition) => processPartition(dependencies, lane, partition, counts)),
    );
  return counts;
}

async function processPartition(
  dependencies: DueDependencies,
  lane: DueLane,
  partition: string,
  counts: DueCounts,
): Promise<void> {
  const { store, clock, stopMs } = dependencies;
  const nowSeconds = Math.floor(clock() / 1000);
  const process = async (item: DueItem) => {
    const isDone = clock() < stopMs && (await processSafely(dependencies, lane, item, counts));
    if (!isDone) counts[lane.late] = Math.max(counts[lane.late], nowSeconds - item.dueAt);
  };
  for (let after: DueItem | undefined; ; ) {
    const { items, next } = await store.due(partition, nowSeconds, after);
    for (let start = 0; start < items.length; start += lane.concurrent)
      await Promise.all(items.slice(start, start + lane.concurrent).map(process));
    if (next === undefined || clock() >= stopMs) return;
    after = next;
  }
}

/** Returns whether the item is not due any more. A failure does not affect the other items. */
async function processSafely(
  { log }: DueDependencies,
  { processors }: DueLane,
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
