/**
 * Compares a table of the market with the payment provider, which knows what was sent. A restored table may be older than
 * the last payouts. Until this has been done, no payout is sent from it.
 */
import { NANO_PER_CENT } from '../../../platform/core/money.ts';
import { newTransaction } from '../earnings/postings.ts';
import { checked, type PayoutDependencies, record, type StepResult } from './advance.ts';
import { type Payout, type PayoutKey, payoutStep } from './payout.ts';
import { MIN_PAYOUT_CENTS } from './payout-entry.ts';
import type { PayoutAdoption, PayoutStore, ProviderTransfer } from './ports.ts';

export interface ReconcilePayoutsDependencies extends PayoutDependencies {
  readonly store: PayoutStore & PayoutAdoption;
}

export interface PayoutReconciliation {
  readonly transfers: number;
  /** Payouts that the table did not have. */
  readonly adopted: number;
  /** Payouts that the available earnings in the table do not cover. */
  readonly differences: readonly PayoutKey[];
}

/** Payouts are sent again if there is no difference, or if the operator accepts them. */
export async function reconcilePayouts(
  dependencies: ReconcilePayoutsDependencies,
  acceptsDifferences: boolean,
): Promise<PayoutReconciliation> {
  const { store, provider } = dependencies;
  const differences: PayoutKey[] = [];
  let [transfers, adopted] = [0, 0];
  for await (const page of provider.transfers()) {
    for (const transfer of page) {
      transfers += 1;
      if ((await store.find(transfer.key)) === undefined) {
        if (!(await adopt(dependencies, transfer))) {
          differences.push(transfer.key);
          continue;
        }
        adopted += 1;
      }
      await update(dependencies, transfer);
    }
  }
  if (differences.length === 0 || acceptsDifferences) await store.setReconciled();
  return { transfers, adopted, differences };
}

async function adopt(
  dependencies: ReconcilePayoutsDependencies,
  { id: transfer, key, amountCents, created, providerId }: ProviderTransfer,
): Promise<boolean> {
  const { store, provider } = dependencies;
  const { sellerId, id } = key;
  const amount = BigInt(amountCents) * NANO_PER_CENT;
  const payout: Payout = {
    id,
    sellerId,
    amount,
    created,
    attempts: {},
    transfer,
    returned: false,
    dueAt: created,
    version: 1,
  };
  if ((await store.findAccount(sellerId)) === undefined) {
    const country = await provider.accountCountry(providerId);
    const settings = { schedule: 'manual', minimum: MIN_PAYOUT_CENTS, dueAt: undefined } as const;
    await store.saveAccount({ sellerId, providerId, country, ...settings });
  }
  const line = { sellerId, type: 'payout', amount: -amount, payoutId: id } as const;
  return store.adopt(payout, newTransaction(dependencies, line));
}

/** Records what the table does not know of a payout. */
async function update(dependencies: ReconcilePayoutsDependencies, transfer: ProviderTransfer): Promise<void> {
  const { store, provider, clock } = dependencies;
  const { id, key, providerId, reversed } = transfer;
  const known: StepResult = { facts: [{ kind: 'transfer', id }] };
  const payout = await store.find(key);
  if (payout === undefined || payoutStep(payout) === 'nothing') return;
  const found = await provider.findPayout(payout, providerId);
  const nowSeconds = Math.floor(clock() / 1000);
  const { facts } = found === undefined ? { facts: [] } : checked(payout, found, nowSeconds);
  const back: StepResult['facts'] = reversed
    ? [{ kind: 'ended', how: 'failed', code: 'reversed' }, { kind: 'returned' }]
    : [];
  await record(dependencies, key, { facts: [...known.facts, ...facts, ...back] });
}
