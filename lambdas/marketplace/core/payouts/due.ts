/** Processes the payouts and the schedules of payouts whose time has come. */
import { ServiceError } from '../../../platform/core/errors.ts';
import type { Log } from '../../../platform/core/ports.ts';
import { advancePayout, type PayoutDependencies } from './advance.ts';
import { type Payout, payoutStep } from './payout.ts';
import type { DuePayout, DuePayoutStore, PayoutAdoption, PayoutStore } from './ports.ts';
import { type PayoutRequestDependencies, runSchedule } from './requests.ts';

export interface DuePayoutDependencies extends PayoutDependencies, PayoutRequestDependencies {
  readonly store: PayoutStore & DuePayoutStore & Pick<PayoutAdoption, 'setReconciled'>;
  readonly log: Log;
  /** The time after which no further item is started; ms by the clock. */
  readonly stopMs: number;
}

export interface DuePayoutResult {
  /** Payouts that were started by a schedule. */
  readonly started: number;
  readonly advanced: number;
  readonly failed: number;
  /** Seconds by which the payout that is furthest behind is late. */
  readonly lateSeconds: number;
}

type Counts = { -readonly [Name in keyof DuePayoutResult]: DuePayoutResult[Name] };

/** A payout takes some seconds of the provider's time. */
const CONCURRENT = 8;

/**
 * Takes the next step of each due payout. Does nothing until the table has been compared with the provider: a restored one
 * may not know what was sent. Where nothing was ever sent, there is nothing to compare.
 */
export async function processPayouts(dependencies: DuePayoutDependencies): Promise<DuePayoutResult> {
  const { store, clock, stopMs } = dependencies;
  const counts: Counts = { started: 0, advanced: 0, failed: 0, lateSeconds: 0 };
  const nowSeconds = Math.floor(clock() / 1000);
  if (!(await store.isReconciled())) {
    const [oldest] = (await store.duePayouts(nowSeconds)).items;
    if (oldest === undefined) return counts;
    if (await mayHaveSent(dependencies)) {
      dependencies.log.error('payouts wait for `market reconcile`: the table may not know what was sent');
      return { ...counts, lateSeconds: nowSeconds - oldest.dueAt };
    }
    await store.setReconciled();
  }
  for (let after: DuePayout | undefined; ; ) {
    const { items, next } = await store.duePayouts(nowSeconds, after);
    for (let start = 0; start < items.length && clock() < stopMs; start += CONCURRENT) {
      const some = items.slice(start, start + CONCURRENT);
      await Promise.all(some.map((item) => processSafely(dependencies, item, counts)));
    }
    if (next === undefined || clock() >= stopMs) return counts;
    after = next;
  }
}

/** Returns false if the provider has no transfer of this service. One that does not respond may have one. */
async function mayHaveSent({ provider }: DuePayoutDependencies): Promise<boolean> {
  try {
    for await (const page of provider.transfers()) if (page.length > 0) return true;
    return false;
  } catch (failure) {
    if (failure instanceof ServiceError) return true;
    throw failure;
  }
}

/** A failure does not affect the other items: the item stays due, and the next run tries again. */
async function processSafely(
  dependencies: DuePayoutDependencies,
  item: DuePayout,
  counts: Counts,
): Promise<void> {
  const { store, log, clock } = dependencies;
  try {
    if (item.type === 'schedule') {
      if (await runSchedule(dependencies, item.sellerId)) counts.started += 1;
      return;
    }
    const before = await store.find(item.key);
    const after = await advancePayout(dependencies, item.key);
    if (before?.version !== after?.version) counts.advanced += 1;
    if (after !== undefined)
      counts.lateSeconds = Math.max(counts.lateSeconds, lateness(after, clock() / 1000));
  } catch (failure) {
    counts.failed += 1;
    const id = item.type === 'payout' ? item.key.id : item.sellerId;
    log.error('a due payout could not be processed', { id, failure: String(failure) });
    const dueSeconds = Math.floor(clock() / 1000) - item.dueAt;
    counts.lateSeconds = Math.max(counts.lateSeconds, dueSeconds);
  }
}

/** A step takes an hour or two if a response was lost; a bank takes some days. */
function lateness(payout: Payout, nowSeconds: number): number {
  const step = payoutStep(payout);
  if (step === 'nothing' || payout.paidAt !== undefined) return 0;
  const since = step === 'check' ? (payout.arrivalDate ?? payout.created) : payout.created;
  return Math.max(0, Math.floor(nowSeconds - since));
}
