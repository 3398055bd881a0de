/** The processing of a due payout, and of a due schedule of payouts. */
import { ServiceError } from '../../../platform/core/errors.ts';
import type { Log } from '../../../platform/core/ports.ts';
import { type DueCounts, type DueProcessor, nameOf } from '../due.ts';
import { advancePayout, type PayoutDependencies } from './advance.ts';
import { type Payout, payoutStep } from './payout.ts';
import type { PayoutAdoption, PayoutStore } from './ports.ts';
import { type PayoutRequestDependencies, runSchedule } from './requests.ts';

export interface DuePayoutDependencies extends PayoutDependencies, PayoutRequestDependencies {
  readonly store: PayoutStore & Pick<PayoutAdoption, 'isReconciled' | 'setReconciled'>;
  readonly log: Log;
}

/**
 * Returns the processors of one run. They do nothing until the table has been compared with the provider: a restored one
 * may not know what was sent.
 */
export function payoutProcessors(dependencies: DuePayoutDependencies) {
  const { store, clock } = dependencies;
  let checking: Promise<boolean> | undefined;
  const whenKnown =
    (process: DueProcessor): DueProcessor =>
    async (due, counts) => {
      checking ??= isEachTransferKnown(dependencies);
      if (await checking) await process(due, counts);
      else addLateness(counts, clock() / 1000 - due.dueAt);
    };
  return {
    payout: whenKnown(async (due, counts) => {
      const key = { sellerId: due.ownerId, id: nameOf(due) };
      const before = await store.find(key);
      const after = await advancePayout(dependencies, key);
      if (before?.version !== after?.version) counts.payoutsAdvanced += 1;
      if (after !== undefined) addLateness(counts, lateness(after, clock() / 1000));
    }),
    payout_account: whenKnown(async ({ ownerId }, counts) => {
      if (await runSchedule(dependencies, ownerId)) counts.payoutsStarted += 1;
    }),
  };
}

/** Returns whether the table has every transfer of this service. Where nothing was ever sent, there is nothing to compare. */
async function isEachTransferKnown({ store, provider, log }: DuePayoutDependencies): Promise<boolean> {
  if (await store.isReconciled()) return true;
  if (await mayHaveSent(provider)) {
    log.error('payouts wait for `market reconcile`: the table may not know what was sent');
    return false;
  }
  await store.setReconciled();
  return true;
}

/** Returns false if the provider has no transfer of this service. One that does not respond may have one. */
async function mayHaveSent(provider: DuePayoutDependencies['provider']): Promise<boolean> {
  try {
    for await (const page of provider.transfers()) if (page.length > 0) return true;
    return false;
  } catch (failure) {
    if (failure instanceof ServiceError) return true;
    throw failure;
  }
}

function addLateness(counts: DueCounts, seconds: number): void {
  counts.latestPayoutSeconds = Math.max(counts.latestPayoutSeconds, Math.floor(seconds));
}

/** A step takes an hour or two if a response was lost; a bank takes some days. */
function lateness(payout: Payout, nowSeconds: number): number {
  const step = payoutStep(payout);
  if (step === 'nothing' || payout.paidAt !== undefined) return 0;
  const since = step === 'check' ? (payout.arrivalDate ?? payout.created) : payout.created;
  return nowSeconds - since;
}
