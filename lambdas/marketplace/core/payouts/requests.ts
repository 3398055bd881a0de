/** The requests of a seller about payouts: to be paid, by hand or on a schedule, and to cancel. */
import { createHash } from 'node:crypto';
import { encodeTime } from 'ulid';
import { ServiceError } from '../../../platform/core/errors.ts';
import { NANO_PER_CENT, type NanoUsd } from '../../../platform/core/money.ts';
import { retryOptimistically } from '../../../platform/core/optimistic.ts';
import type { Clock, UlidSource } from '../../../platform/core/ports.ts';
import { newTransaction } from '../earnings/postings.ts';
import { proceedsOf, type Sale } from '../earnings/sale.ts';
import { record } from './advance.ts';
import { isOpenPayout, type Payout, type PayoutKey } from './payout.ts';
import { MIN_PAYOUT_CENTS } from './payout-entry.ts';
import type { PayoutAccount, PayoutSchedule, PayoutStore } from './ports.ts';

export interface PayoutRequestDependencies {
  readonly store: PayoutStore;
  readonly clock: Clock;
  readonly ulid: UlidSource;
  /** The time that a sale takes to mature. */
  readonly maturitySeconds: number;
}

/** Throws 403 `payouts_disabled` if sellers are not paid. */
export function requirePayouts(provider: unknown): asserts provider {
  if (!provider)
    throw new ServiceError('payouts_disabled', 'There are no payouts here: transfer earnings to credit.');
}

/** Each further try means that the balance has changed in between. */
const MAX_ATTEMPTS = 8;

/**
 * From the sale with which the seller's proceeds reached the smallest payout until its first payout: most disputes are
 * opened within two weeks of a payment, and a sale of a cent between accounts of one person starts no wait.
 */
const FIRST_PAYOUT_MATURITIES = 2;

const MIN_AMOUNT = BigInt(MIN_PAYOUT_CENTS) * NANO_PER_CENT;

/**
 * Starts a payout of `amount`, or of everything that is available. Throws 402 `insufficient_earnings`; 403
 * `payouts_disabled` without an account, or while an operator has paused payouts; 409 `conflict` if one is open, or if
 * the seller has not had the proceeds of a payout for long enough.
 */
export async function requestPayout(
  dependencies: PayoutRequestDependencies,
  sellerId: string,
  amount: NanoUsd | undefined,
): Promise<Payout> {
  const { store, clock, ulid } = dependencies;
  if ((await store.findAccount(sellerId)) === undefined)
    throw new ServiceError('payouts_disabled', 'There is no payout account: set one up first.');
  const id = `po_${ulid()}`;
  return retryOptimistically(MAX_ATTEMPTS, 'the earnings', async () => {
    const wanted = await checkPayout(dependencies, sellerId, amount);
    const created = Math.floor(clock() / 1000);
    return (await start(dependencies, { id, sellerId }, wanted, created))
      ? newPayout({ id, sellerId }, wanted, created)
      : undefined;
  });
}

async function checkPayout(
  { store, clock, maturitySeconds }: PayoutRequestDependencies,
  sellerId: string,
  amount: NanoUsd | undefined,
): Promise<NanoUsd> {
  const { balance, openPayouts, paused } = await store.seller(sellerId);
  if (paused)
    throw new ServiceError('payouts_disabled', 'Payouts of this account are paused by the operator.');
  if (openPayouts > 0) {
    const { entries } = await store.list(sellerId, 100);
    const open = entries.find(isOpenPayout)?.id ?? '';
    throw new ServiceError('conflict', `The payout ${open} is open: another one can start when it is paid.`);
  }
  const wanted = amount ?? balance.available;
  if (wanted < MIN_AMOUNT || wanted > balance.available) {
    const message = `The available earnings do not cover this payout; a payout is of at least ${MIN_PAYOUT_CENTS} cents.`;
    throw new ServiceError('insufficient_earnings', message);
  }
  const wait = FIRST_PAYOUT_MATURITIES * maturitySeconds;
  const earliest = balance.paidOut > 0n ? 0 : await firstPayoutAt(store, sellerId, wait, clock() / 1000);
  if (clock() < earliest * 1000) {
    const date = new Date(earliest * 1000).toISOString();
    const rule = `twice the maturity of sales after your proceeds reached ${MIN_PAYOUT_CENTS} cents`;
    throw new ServiceError('conflict', `The first payout is possible from ${date}, ${rule}.`);
  }
  return wanted;
}

/** The time from which the first payout is possible, in seconds since the epoch; some time in the past if it is now. */
async function firstPayoutAt(
  store: Pick<PayoutStore, 'sales'>,
  sellerId: string,
  waitSeconds: number,
  nowSeconds: number,
): Promise<number> {
  const sales: Sale[] = [];
  let waited = 0n;
  for await (const sale of store.sales(sellerId)) {
    if (!sale.payable) continue;
    sales.push(sale);
    if (sale.created + waitSeconds > nowSeconds) continue;
    waited += proceedsOf(sale);
    if (waited >= MIN_AMOUNT) return 0;
  }
  let proceeds = 0n;
  const reached = sales
    .toSorted((a, b) => a.created - b.created)
    .find((sale) => {
      proceeds += proceedsOf(sale);
      return proceeds >= MIN_AMOUNT;
    });
  return (reached?.created ?? nowSeconds) + waitSeconds;
}

/** A new payout is due at once. */
const newPayout = ({ id, sellerId }: PayoutKey, amount: NanoUsd, created: number): Payout => ({
  id,
  sellerId,
  amount,
  created,
  attempts: {},
  returned: false,
  dueAt: created,
  version: 1,
});

const start = (
  dependencies: Pick<PayoutRequestDependencies, 'store' | 'ulid' | 'clock'>,
  key: PayoutKey,
  amount: NanoUsd,
  created: number,
): Promise<boolean> => {
  const line = { sellerId: key.sellerId, type: 'payout', amount: -amount, payoutId: key.id } as const;
  return dependencies.store.create(newPayout(key, amount, created), newTransaction(dependencies, line));
};

/** The seller's payout of that id. Throws 404 for every other. */
export async function ownPayout(store: Pick<PayoutStore, 'find'>, key: PayoutKey): Promise<Payout> {
  const payout = /^po_[0-9A-HJKMNP-TV-Z]{26}$/.test(key.id) ? await store.find(key) : undefined;
  if (payout === undefined)
    throw new ServiceError('not_found', 'No payout with this id belongs to your account.', { param: 'id' });
  return payout;
}

/** Cancels a payout of which nothing has been requested from the provider. Throws 404, and 409 `conflict`. */
export async function cancelPayout(
  dependencies: Pick<PayoutRequestDependencies, 'store' | 'clock' | 'ulid'>,
  key: PayoutKey,
): Promise<Payout> {
  const { store } = dependencies;
  const payout = await ownPayout(store, key);
  const isCanceled = payout.end?.how === 'canceled' && payout.end.code === undefined;
  if (
    !isCanceled &&
    (payout.end !== undefined || payout.attempts.transfer !== undefined || payout.transfer !== undefined)
  )
    throw new ServiceError('conflict', 'This payout has been sent, and can no longer be canceled.');
  if (isCanceled) return payout;
  const facts = [{ kind: 'ended', how: 'canceled' }, { kind: 'returned' }] as const;
  await record(dependencies, key, { facts, isUnsent: true });
  const after = await ownPayout(store, key);
  if (after.returned) return after;
  throw new ServiceError('conflict', 'This payout has been sent, and can no longer be canceled.');
}

/** Midnight UTC of the next Monday, or of the first day of the next month. */
export function nextPayoutDate(schedule: PayoutSchedule, nowSeconds: number): number | undefined {
  const now = new Date(nowSeconds * 1000);
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  switch (schedule) {
    case 'manual':
      return undefined;
    case 'weekly':
      return Date.UTC(year, month, day + 7 - ((now.getUTCDay() + 6) % 7)) / 1000;
    case 'monthly':
      return Date.UTC(year, month + 1, 1) / 1000;
  }
}

/**
 * Starts the payout of a date, unless it is less than the minimum, and plans the next. Its id is derived from the date, so
 * that no date is paid twice.
 */
export async function runSchedule(
  dependencies: PayoutRequestDependencies,
  sellerId: string,
): Promise<boolean> {
  const { store, clock } = dependencies;
  const account = await store.findAccount(sellerId);
  const nowSeconds = Math.floor(clock() / 1000);
  if (account?.dueAt === undefined || account.dueAt > nowSeconds) return false;
  const id = scheduledId(account, account.dueAt);
  const amount = await checkPayout(dependencies, sellerId, undefined).catch((failure: unknown) => {
    if (failure instanceof ServiceError && failure.code !== 'overloaded') return 0n;
    throw failure;
  });
  const isPayable = amount >= BigInt(account.minimum) * NANO_PER_CENT;
  const isStarted = isPayable && (await start(dependencies, { id, sellerId }, amount, nowSeconds));
  // The balance has changed in between: the next run tries again.
  if (isPayable && !isStarted && (await store.find({ sellerId, id })) === undefined) return false;
  // The seller may have changed the settings in between: they stay, and decide at the next run.
  await store.saveAccount({ ...account, dueAt: nextPayoutDate(account.schedule, nowSeconds) }, account);
  return isStarted;
}

/** A ULID whose time is the date, and whose random part is a hash of the seller. */
function scheduledId({ sellerId }: PayoutAccount, dateSeconds: number): string {
  const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
  const hash = createHash('sha256').update(`${sellerId} ${dateSeconds}`).digest();
  const random = Array.from(hash.subarray(0, 16), (byte) => digits[byte % 32]).join('');
  return `po_${encodeTime(dateSeconds * 1000, 10)}${random}`;
}
