/** The processing of a due sale: it matures, waits, or returns what the buyer's payments do not cover any more. */

import type { NanoUsd } from '../../../platform/core/money.ts';
import { retryOptimistically } from '../../../platform/core/optimistic.ts';
import { type DueProcessor, nameOf } from '../due.ts';
import type { CheckedFunds } from './ports.ts';
import { type EarningsDependencies, newTransaction } from './postings.ts';
import { nextStep, proceedsOf, remainingOf, returnOf, type Sale } from './sale.ts';

/** Each further try means that the seller refunded a part in between. */
const MAX_ATTEMPTS = 8;

/** Returns what is missing, and matures the remainder; or has the sale wait. */
export const saleProcessor =
  (dependencies: EarningsDependencies): DueProcessor =>
  async (due, counts) => {
    const { store, clock } = dependencies;
    const key = { sellerId: due.ownerId, chargeId: nameOf(due) };
    await retryOptimistically(MAX_ATTEMPTS, 'the sale', async () => {
      const sale = await store.findSale(key);
      const nowSeconds = Math.floor(clock() / 1000);
      if (sale?.status !== 'pending' || sale.dueAt > nowSeconds) return true;
      const funds = await store.funds(sale);
      const isListed = await store.isListed(sale.listingId);
      const next = nextStep(sale, { ...funds, isListed }, nowSeconds);
      if (next.step === 'hold') {
        if (!(await store.hold(sale, next.dueAt, next.reason))) return undefined;
        counts.held += 1;
        counts.heldAmount += remainingOf(sale);
        return true;
      }
      if (next.step === 'mature') {
        const days = (await store.maturityDays(sale.sellerId)) ?? 0;
        const maturesAt = sale.created + days * 86_400;
        if (maturesAt > nowSeconds) return (await store.postpone(sale, maturesAt)) || undefined;
        if (!(await store.mature(sale, maturityOf(dependencies, sale)))) return undefined;
        counts.matured += 1;
        return true;
      }
      if (await returnMissing(dependencies, sale, next.amount, funds)) counts.returned += 1;
      // What remains matures at the next try.
      return undefined;
    });
  };

async function returnMissing(
  dependencies: EarningsDependencies,
  sale: Sale,
  amount: NanoUsd,
  { version: fundsVersion }: CheckedFunds,
): Promise<boolean> {
  const { sellerId, chargeId } = sale;
  const { change, sale: after } = returnOf(sale, amount);
  const transaction = newTransaction(dependencies, {
    sellerId,
    type: 'reversal',
    amount: change.received,
    chargeId,
  });
  // A return by another worker has the same name, so that only one of them happens. Another sale of the buyer may have
  // returned the amount meanwhile: then the funds are of another version.
  const entryId = `${chargeId}#${after.returned}`;
  return dependencies.store.returnPart(sale, amount, { entryId, transaction, fundsVersion });
}

/** Credit leaves the balance of a seller; money stays in it. */
const maturityOf = (dependencies: EarningsDependencies, sale: Sale) =>
  newTransaction(dependencies, {
    sellerId: sale.sellerId,
    type: 'transfer',
    amount: -proceedsOf(sale),
    chargeId: sale.chargeId,
  });
