/** The requests of a seller that move money: refunds of buyers, and transfers of earnings to its own credit. */
import { createHash } from 'node:crypto';
import type { EntryNote } from '../../../ledger/core/ledger-entry.ts';
import { dailyQuotaReached, QUOTAS } from '../../../platform/core/api/quotas.ts';
import { ServiceError } from '../../../platform/core/errors.ts';
import { NANO_PER_CENT, type NanoUsd } from '../../../platform/core/money.ts';
import { retryOptimistically } from '../../../platform/core/optimistic.ts';
import type { Clock, UlidSource } from '../../../platform/core/ports.ts';
import type { EarlierEntry, EarningsStore, EarningsTransaction, SaleKey } from './ports.ts';
import { remainingOf, returnOf, type Sale } from './sale.ts';

export interface EarningsDependencies {
  readonly store: EarningsStore;
  readonly clock: Clock;
  readonly ulid: UlidSource;
}

/** A posting that a request has made, now or before under the same `Idempotency-Key`. */
export interface PostedAmount {
  readonly transactionId: string;
  readonly amount: NanoUsd;
  readonly created: number;
}

/** Each further try means that another posting of the same sale or balance came in between. */
const MAX_ATTEMPTS = 8;

/** A refund of a cent costs as much to record as one of a dollar. */
const max = QUOTAS.earnings_postings_per_account_per_day;

interface SellerRequest {
  readonly sellerId: string;
  /** The `Idempotency-Key`; undefined if the request is not to be recognized again. */
  readonly key: string | undefined;
}

/**
 * Returns all or part of a price to the buyer, who owes it first. Out of the pending proceeds, and after maturity out of
 * the available earnings. Throws 404, 409 `conflict` if everything has been returned, 400 `invalid_value` for more than
 * remains, and 402 `insufficient_earnings`.
 */
export async function refund(
  dependencies: EarningsDependencies,
  { sellerId, key }: SellerRequest,
  { chargeId, amount }: { readonly chargeId: string; readonly amount: NanoUsd | undefined },
): Promise<PostedAmount> {
  const { store } = dependencies;
  const entryId = `${chargeId}#${postingId(dependencies, sellerId, key)}`;
  return retryOptimistically(MAX_ATTEMPTS, 'the sale', async () => {
    const sale = await store.findSale({ sellerId, chargeId });
    if (sale === undefined)
      throw new ServiceError('not_found', 'No sale of yours has this charge.', { param: 'charge' });
    const earlier = await store.findEntry(sale.buyerId, 'purchase_refund', entryId);
    if (earlier !== undefined) return repeated(earlier, amount);
    const wanted = amount ?? remainingOf(sale);
    await checkRefund(store, sale, wanted);
    await checkQuota(dependencies, sellerId);
    const { change } = returnOf(sale, wanted);
    const transaction = newTransaction(dependencies, {
      sellerId,
      type: 'refund',
      amount: change.received,
      chargeId,
    });
    if (!(await store.returnPart(sale, wanted, { entryId, transaction, max }))) return undefined;
    return { transactionId: transaction.id, amount: wanted, created: transaction.created };
  });
}

/**
 * Returns all that is left of a price to the buyer by the decision of an operator, out of what the seller has. Throws
 * 404, 409 `conflict` if everything has been returned, and 402 `insufficient_earnings`.
 */
export function returnSale(
  dependencies: EarningsDependencies,
  { sellerId, chargeId }: SaleKey,
  note: EntryNote,
): Promise<PostedAmount> {
  const { store, ulid } = dependencies;
  const entryId = `${chargeId}#${ulid()}`;
  return retryOptimistically(MAX_ATTEMPTS, 'the sale', async () => {
    const sale = await store.findSale({ sellerId, chargeId });
    if (sale === undefined) throw new ServiceError('not_found', 'No sale has this charge.');
    const amount = remainingOf(sale);
    await checkRefund(store, sale, amount);
    const { received } = returnOf(sale, amount).change;
    const transaction = newTransaction(dependencies, {
      sellerId,
      type: 'reversal',
      amount: received,
      chargeId,
    });
    if (!(await store.returnPart(sale, amount, { entryId, transaction, note }))) return undefined;
    return { transactionId: transaction.id, amount, created: transaction.created };
  });
}

async function checkRefund(store: EarningsStore, sale: Sale, amount: NanoUsd): Promise<void> {
  if (sale.status === 'reversed')
    throw new ServiceError('conflict', 'The whole price has been returned to the buyer.');
  if (amount > remainingOf(sale)) {
    const message = `Of this charge, ${remainingOf(sale) / NANO_PER_CENT} cents can still be refunded.`;
    throw new ServiceError('invalid_value', message, { param: 'amount' });
  }
  const { available } = returnOf(sale, amount).change;
  if (available < 0n && (await store.balance(sale.sellerId)).available < -available)
    throw new ServiceError('insufficient_earnings', 'The available earnings do not cover this refund.');
}

/**
 * Makes available earnings the seller's own credit, at once. Throws 402 `insufficient_earnings`, and 400
 * `idempotency_key_reused` if the key was used for another amount.
 */
export async function transferEarnings(
  dependencies: EarningsDependencies,
  { sellerId, key }: SellerRequest,
  amount: NanoUsd,
): Promise<PostedAmount> {
  const { store } = dependencies;
  const entryId = postingId(dependencies, sellerId, key);
  return retryOptimistically(MAX_ATTEMPTS, 'the earnings', async () => {
    const earlier = await store.findEntry(sellerId, 'transfer', entryId);
    if (earlier !== undefined) return repeated(earlier, amount);
    if ((await store.balance(sellerId)).available < amount)
      throw new ServiceError('insufficient_earnings', 'The available earnings do not cover this transfer.');
    await checkQuota(dependencies, sellerId);
    const transaction = newTransaction(dependencies, { sellerId, type: 'transfer', amount: -amount });
    if (!(await store.transfer(amount, { entryId, transaction, max }))) return undefined;
    return { transactionId: transaction.id, amount, created: transaction.created };
  });
}

/** The count is increased with the posting, so that the quota holds for concurrent requests, too. */
async function checkQuota({ store, clock }: EarningsDependencies, sellerId: string): Promise<void> {
  const nowSeconds = Math.floor(clock() / 1000);
  if ((await store.postedOn(sellerId, nowSeconds)) >= max)
    throw dailyQuotaReached('earnings_quota', { max, things: 'refunds and transfers', nowSeconds });
}

/** A hash, because a key is a caller's text. Only requests of the same seller have it. */
const postingId = ({ ulid }: EarningsDependencies, sellerId: string, key: string | undefined): string =>
  key === undefined ? ulid() : createHash('sha256').update(`${sellerId} ${key}`).digest('hex').slice(0, 32);

function repeated({ amount, created, source }: EarlierEntry, wanted: NanoUsd | undefined): PostedAmount {
  if (wanted !== undefined && wanted !== amount) {
    const message = 'This Idempotency-Key was used for another amount.';
    throw new ServiceError('idempotency_key_reused', message, { param: 'Idempotency-Key' });
  }
  return { transactionId: source, amount, created };
}

export const newTransaction = (
  { ulid, clock }: Pick<EarningsDependencies, 'ulid' | 'clock'>,
  fields: Omit<EarningsTransaction, 'id' | 'created'>,
): EarningsTransaction => ({
  ...fields,
  id: `txn_${ulid()}`,
  created: Math.floor(clock() / 1000),
});
