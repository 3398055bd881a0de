/**
 * Processes the items of the market whose time has come. The index is a hint, and the item decides: two workers, a
 * repeated run and a crash at any point change nothing twice. An item that fails stays due, and the next run tries again.
 */

import type { NanoUsd } from '../../../platform/core/money.ts';
import { retryOptimistically } from '../../../platform/core/optimistic.ts';
import type { Log } from '../../../platform/core/ports.ts';
import { DUE_SHARDS, type DueItem, type DueStore, type SaleKey } from './ports.ts';
import { type EarningsDependencies, newTransaction } from './postings.ts';
import { nextStep, proceedsOf, remainingOf, returnOf, type Sale } from './sale.ts';

export interface DueDependencies extends EarningsDependencies {
  readonly store: EarningsDependencies['store'] & DueStore;
  readonly log: Log;
  /** The time after which no further item is started; ms by the clock. */
  readonly stopMs: number;
}

export interface DueResult {
  readonly matured: number;
  readonly held: number;
  readonly returned: number;
  readonly failed: number;
  /** The price of the sales that were held. */
  readonly heldAmount: NanoUsd;
  /** Seconds since the oldest item that is still due was due. */
  readonly oldestSeconds: number;
}

type Counts = { -readonly [Name in keyof DueResult]: DueResult[Name] };

/** Each further try means that the seller refunded a part in between. */
const MAX_ATTEMPTS = 8;

/** Processes all that is due, the shards of the index side by side. */
export async function processDue(dependencies: DueDependencies): Promise<DueResult> {
  const counts: Counts = { matured: 0, held: 0, returned: 0, failed: 0, heldAmount: 0n, oldestSeconds: 0 };
  const shards = Array.from({ length: DUE_SHARDS }, (_, shard) => shard);
  await Promise.all(shards.map((shard) => processShard(dependencies, shard, counts)));
  return counts;
}

async function processShard(dependencies: DueDependencies, shard: number, counts: Counts): Promise<void> {
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
async function processSafely(dependencies: DueDependencies, item: DueItem, counts: Counts): Promise<boolean> {
  try {
    await processSale(dependencies, item, counts);
    return true;
  } catch (failure) {
    const { sellerId, chargeId } = item;
    dependencies.log.error('a due sale could not be processed', {
      sellerId,
      chargeId,
      failure: String(failure),
    });
    counts.failed += 1;
    return false;
  }
}

/** Returns what is missing, and matures the remainder; or has the sale wait. */
async function processSale(dependencies: DueDependencies, key: SaleKey, counts: Counts): Promise<void> {
  const { store, clock } = dependencies;
  await retryOptimistically(MAX_ATTEMPTS, 'the sale', async () => {
    const sale = await store.findSale(key);
    const nowSeconds = Math.floor(clock() / 1000);
    if (sale?.status !== 'pending' || sale.dueAt > nowSeconds) return true;
    const next = nextStep(sale, await store.funds(sale), nowSeconds);
    if (next.step === 'hold') {
      if (!(await store.hold(sale, next.dueAt))) return undefined;
      counts.held += 1;
      counts.heldAmount += remainingOf(sale);
      return true;
    }
    if (next.step === 'mature') {
      if (!(await store.mature(sale, maturityOf(dependencies, sale)))) return undefined;
      counts.matured += 1;
      return true;
    }
    if (await returnMissing(dependencies, sale, next.amount)) counts.returned += 1;
    // What remains matures at the next try.
    return undefined;
  });
}

async function returnMissing(dependencies: DueDependencies, sale: Sale, amount: NanoUsd): Promise<boolean> {
  const { sellerId, chargeId } = sale;
  const { change, sale: after } = returnOf(sale, amount);
  const transaction = newTransaction(dependencies, {
    sellerId,
    type: 'reversal',
    amount: change.received,
    chargeId,
  });
  // A return by another worker has the same name, so that only one of them happens.
  const entryId = `${chargeId}#${after.returned}`;
  return dependencies.store.returnPart(sale, amount, { entryId, transaction });
}

/** Credit leaves the balance of a seller; money stays in it. */
const maturityOf = (dependencies: DueDependencies, sale: Sale) =>
  newTransaction(dependencies, {
    sellerId: sale.sellerId,
    type: 'transfer',
    amount: -proceedsOf(sale),
    chargeId: sale.chargeId,
  });
