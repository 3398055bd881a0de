/**
 * Advances payouts at the payment provider. Each attempt is recorded before its request. A further attempt first looks up
 * what the earlier one has done, and adopts it. If that is nothing, it waits for an hour and uses another key. So no
 * crash, lost response or second worker moves money twice.
 */
import { retryOptimistically } from '../../../platform/core/optimistic.ts';
import type { Clock, Log, UlidSource } from '../../../platform/core/ports.ts';
import { newTransaction } from '../earnings/postings.ts';
import {
  applyPayoutFact,
  attemptKey,
  type MoneyStep,
  NEW_KEY_SECONDS,
  nextAttempt,
  type Payout,
  type PayoutFact,
  type PayoutKey,
  payoutStep,
} from './payout.ts';
import { paidEvent } from './payout-entry.ts';
import type { PayoutEffects, PayoutProvider, PayoutStore, ProviderPayout, ProviderRefusal } from './ports.ts';

export interface PayoutDependencies {
  readonly store: PayoutStore;
  readonly provider: PayoutProvider;
  readonly clock: Clock;
  readonly ulid: UlidSource;
  readonly log: Log;
}

const DAY_SECONDS = 86_400;

/** A bank may return a payout for some days after it was paid; an event reports it, or this last check. */
const LAST_CHECK_SECONDS = 7 * DAY_SECONDS;

/** Transfer, payout, and a write by another worker between them. */
const MAX_STEPS = 6;

/** The platform's balance at the provider does not cover the transfer: it may at the next attempt. */
const BALANCE_INSUFFICIENT = 'balance_insufficient';

/** The result of a step: new facts, and the time of the next step, which is now unless it is given. */
export interface StepResult {
  readonly facts: readonly PayoutFact[];
  readonly dueAt?: number | undefined;
  readonly isDone?: true;
  /** The facts hold only if the provider has moved nothing. */
  readonly isUnmoved?: true;
  /** The facts hold only if nothing was requested from the provider. */
  readonly isUnsent?: true;
}

/** Returns the payout after all steps that can be taken now; undefined if there is none, or it is not due. */
export async function advancePayout(
  dependencies: PayoutDependencies,
  key: PayoutKey,
): Promise<Payout | undefined> {
  const { store, clock } = dependencies;
  let payout: Payout | undefined;
  for (let steps = 0; steps < MAX_STEPS; steps += 1) {
    payout = await store.find(key);
    const nowSeconds = Math.floor(clock() / 1000);
    if (payout?.dueAt === undefined || payout.dueAt > nowSeconds) return payout;
    const result = await takeStep(dependencies, payout, nowSeconds);
    if (result !== undefined) await record(dependencies, key, result);
  }
  return payout;
}

/** Returns undefined if another worker has changed the payout. */
async function takeStep(
  dependencies: PayoutDependencies,
  payout: Payout,
  nowSeconds: number,
): Promise<StepResult | undefined> {
  const step = payoutStep(payout);
  if (step === 'nothing') return { facts: [], isDone: true };
  const account = await dependencies.store.findAccount(payout.sellerId);
  if (account === undefined) throw new Error('a payout without an account');
  const { providerId } = account;
  switch (step) {
    case 'transfer':
      return transfer({ ...dependencies, payout, providerId, nowSeconds });
    case 'payout':
      return payOut({ ...dependencies, payout, providerId, nowSeconds });
    case 'reversal':
      return reverse({ ...dependencies, payout, providerId, nowSeconds });
    case 'check': {
      const found = await dependencies.provider.readPayout(payout.payout ?? '', providerId);
      return checked(payout, found, nowSeconds);
    }
  }
}

interface Step extends PayoutDependencies {
  readonly payout: Payout;
  readonly providerId: string;
  readonly nowSeconds: number;
}

async function transfer(step: Step): Promise<StepResult | undefined> {
  const { store, provider, payout, providerId, nowSeconds, log } = step;
  const adopt = async (): Promise<StepResult | undefined> => {
    const id = await provider.findTransfer(payout);
    return id === undefined ? undefined : { facts: [{ kind: 'transfer', id }] };
  };
  return attempt(step, 'transfer', {
    adopt,
    async prepare() {
      if ((await store.seller(payout.sellerId)).paused)
        return { facts: [], dueAt: nowSeconds + NEW_KEY_SECONDS };
      const status = await provider.accountStatus(providerId);
      return status === 'active' ? undefined : canceled('account_not_active');
    },
    async send(key) {
      const sent = await provider.createTransfer(payout, providerId, key);
      if (typeof sent === 'string') return { facts: [{ kind: 'transfer', id: sent }] };
      if (sent.refused !== BALANCE_INSUFFICIENT) return (await adopt()) ?? canceled(sent.refused);
      log.error('the balance at the payment provider does not cover a payout', { payoutId: payout.id });
      return { facts: [], dueAt: nowSeconds + NEW_KEY_SECONDS };
    },
  });
}

/** Ends a payout of which the provider has moved nothing. */
const canceled = (code: string): StepResult => ({
  facts: [{ kind: 'ended', how: 'canceled', code }, { kind: 'returned' }],
  isUnmoved: true,
});

async function payOut(step: Step): Promise<StepResult | undefined> {
  const { provider, payout, providerId, nowSeconds } = step;
  const adopt = async (): Promise<StepResult | undefined> => {
    const found = await provider.findPayout(payout, providerId);
    return found === undefined ? undefined : checked(payout, found, nowSeconds);
  };
  return attempt(step, 'payout', {
    adopt,
    async send(key) {
      const sent: ProviderPayout | ProviderRefusal = await provider.createPayout(payout, providerId, key);
      if (!('refused' in sent)) return checked(payout, sent, nowSeconds);
      return (await adopt()) ?? { facts: [{ kind: 'ended', how: 'failed', code: sent.refused }] };
    },
  });
}

/** A reversal is possible only when the money is back in the balance of the seller's account, so that it is repeated. */
async function reverse(step: Step): Promise<StepResult | undefined> {
  const { provider, payout, nowSeconds } = step;
  const transferId = payout.transfer ?? '';
  return attempt(step, 'reversal', {
    adopt: async () =>
      (await provider.isReversed(transferId)) ? { facts: [{ kind: 'returned' }] } : undefined,
    async send(key) {
      const refusal = await provider.reverse(transferId, key);
      return refusal === undefined
        ? { facts: [{ kind: 'returned' }] }
        : { facts: [], dueAt: nowSeconds + NEW_KEY_SECONDS };
    },
  });
}

interface StepRequests {
  /** Returns what an earlier attempt has done. */
  readonly adopt: () => Promise<StepResult | undefined>;
  /** Returns a result that takes the place of the request. */
  readonly prepare?: () => Promise<StepResult | undefined>;
  readonly send: (key: string) => Promise<StepResult>;
}

async function attempt(
  { store, payout, nowSeconds }: Step,
  step: MoneyStep,
  { adopt, prepare, send }: StepRequests,
): Promise<StepResult | undefined> {
  const last = payout.attempts[step];
  if (last !== undefined) {
    const earlier = await adopt();
    if (earlier !== undefined) return earlier;
  }
  const next = nextAttempt(payout, step, nowSeconds);
  if (next === undefined) return { facts: [], dueAt: (last?.at ?? nowSeconds) + NEW_KEY_SECONDS };
  const other = await prepare?.();
  if (other !== undefined) return other;
  const attempts = { ...payout.attempts, [step]: next };
  const attempted = { ...payout, attempts, version: payout.version + 1 };
  const none: PayoutEffects = { event: undefined, transaction: undefined };
  return (await store.change(payout, attempted, none)) ? send(attemptKey(payout, step, next)) : undefined;
}

/** Reads the facts of a payout as the provider has it. */
export function checked(payout: Payout, found: ProviderPayout, nowSeconds: number): StepResult {
  const { id, arrivalDate, status, failureCode } = found;
  const known: PayoutFact = { kind: 'payout', id, arrivalDate };
  if (status === 'failed' || status === 'canceled')
    return { facts: [known, { kind: 'ended', how: status, code: failureCode ?? status }] };
  if (status === 'paid') {
    const lastCheck = (payout.paidAt ?? nowSeconds) + LAST_CHECK_SECONDS;
    const facts: readonly PayoutFact[] = [known, { kind: 'paid', at: nowSeconds }];
    return lastCheck > nowSeconds ? { facts, dueAt: lastCheck } : { facts, isDone: true };
  }
  return { facts: [known], dueAt: Math.max(arrivalDate, nowSeconds) + DAY_SECONDS };
}

/** Each further try means that another worker or the seller has changed the payout. */
const MAX_ATTEMPTS = 8;

/** Adds facts to the stored payout. They hold whatever another worker has recorded meanwhile. */
export async function record(
  { store, ulid, clock }: Pick<PayoutDependencies, 'store' | 'ulid' | 'clock'>,
  key: PayoutKey,
  { facts, dueAt, isDone, isUnmoved, isUnsent }: StepResult,
): Promise<void> {
  const nowSeconds = Math.floor(clock() / 1000);
  await retryOptimistically(MAX_ATTEMPTS, 'the payout', async () => {
    const before = await store.find(key);
    if (before === undefined) throw new Error('there is no such payout');
    const { transfer: moved, attempts, end } = before;
    if (isUnmoved && moved !== undefined) return true;
    if (isUnsent && (moved ?? attempts.transfer ?? end) !== undefined) return true;
    const known = facts.reduce(applyPayoutFact, before);
    const isSettled = isDone || payoutStep(known) === 'nothing';
    const after: Payout = {
      ...known,
      dueAt: isSettled ? undefined : (dueAt ?? nowSeconds),
      version: before.version + 1,
    };
    const isPaid = before.paidAt === undefined && after.paidAt !== undefined;
    const isReturned = !before.returned && after.returned;
    const effects: PayoutEffects = {
      event: isPaid ? paidEvent(after) : undefined,
      transaction: isReturned
        ? newTransaction(
            { ulid, clock },
            { sellerId: key.sellerId, type: 'payout_failure', amount: after.amount, payoutId: key.id },
          )
        : undefined,
    };
    return (await store.change(before, after, effects)) ? true : undefined;
  });
}
