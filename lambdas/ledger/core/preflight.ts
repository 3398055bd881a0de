/**
 * The check of whether a key and a wallet cover a call, by their cached state. It is the same before, at and after
 * admission.
 */
import {
  type KeyCharge,
  type KeyState,
  rateLimitHeaders,
  rejectionOf,
} from '../../access/core/keys/key-state.ts';
import { ServiceError } from '../../platform/core/errors.ts';
import { formatUsd, greatest, type NanoUsd } from '../../platform/core/money.ts';
import type { Call, OutputRange } from './call.ts';
import { CreditShortage, type RejectingWallet } from './credit-shortage.ts';
import type { Wallet } from './ports.ts';

type CallEstimate = Pick<Call, 'output' | 'tokens' | 'cost'>;

/** The available state of an account. A missing field rejects no call. */
export interface AccountSnapshot {
  /** With current windows. */
  readonly state?: KeyState | undefined;
  readonly wallet?: RejectingWallet | undefined;
}

/** A charge of the call's key, with any tokens and amount, and the time of the charge. */
export interface PreflightTime {
  readonly charge: KeyCharge;
  readonly nowMs: number;
}

/**
 * Returns the error with which key and wallet reject the minimum of a call: 401, 403, 429 or 402, in this order.
 * Returns undefined if they cover it.
 */
export function preflight(
  call: CallEstimate,
  snapshot: AccountSnapshot,
  at: PreflightTime,
): ServiceError | undefined {
  const { state, wallet } = snapshot;
  const amount = call.cost(call.output.min);
  const charge = { ...at.charge, tokens: call.tokens(call.output.min), amount };
  const ofKey = state === undefined ? undefined : rejectionOf(state, charge, at.nowMs);
  const reason = ofKey ?? insufficientCredit(wallet, amount);
  if (reason === undefined) return undefined;
  const shown = reason.status === 402 ? withAffordable(reason, call, snapshot, at) : reason;
  // A key that is not active gets no word of its limits.
  return state === undefined || reason.status === 401
    ? shown
    : shown.withHeaders(rateLimitHeaders(state, at.nowMs));
}

/** Returns whether a wallet, or one of its shards, covers an amount. */
export const hasCredit = ({ balance }: Pick<Wallet, 'balance'>, amount: NanoUsd): boolean =>
  balance >= amount;

/** The largest output of the range for which key and wallet have enough, tokens; undefined where they have for none. */
export function largestOutput(
  { tokens, cost }: Pick<CallEstimate, 'tokens' | 'cost'>,
  { min, max }: OutputRange,
  { state, wallet }: AccountSnapshot,
  { charge, nowMs }: PreflightTime,
): number | undefined {
  const fits = (output: number): boolean => {
    const amount = cost(output);
    if (wallet !== undefined && !hasCredit(wallet, amount)) return false;
    return (
      state === undefined ||
      rejectionOf(state, { ...charge, tokens: tokens(output), amount }, nowMs) === undefined
    );
  };
  if (min > max || !fits(min)) return undefined;
  let [fitting, beyond] = [min, max + 1];
  while (beyond - fitting > 1) {
    const middle = Math.floor((fitting + beyond) / 2);
    if (fits(middle)) fitting = middle;
    else beyond = middle;
  }
  return fitting;
}

/** Names the largest smaller output that would fit, if there is one. */
function withAffordable(
  reason: ServiceError,
  call: CallEstimate,
  snapshot: AccountSnapshot,
  at: PreflightTime,
): ServiceError {
  const smaller = largestOutput(call, { min: 1, max: call.output.min - 1 }, snapshot, at);
  return smaller === undefined ? reason : reason.withAffordable(smaller);
}

/** Returns 402 `insufficient_credit` with the balance; undefined if the wallet covers the hold or is not known. */
function insufficientCredit(wallet: AccountSnapshot['wallet'], amount: NanoUsd): ServiceError | undefined {
  if (wallet === undefined || hasCredit(wallet, amount)) return undefined;
  const balance = formatUsd(greatest(wallet.balance, 0n));
  return new ServiceError(
    'insufficient_credit',
    `The account's balance of ${balance} USD does not cover the estimate for this call, ${formatUsd(amount)} USD; ` +
      'add credit in the console under Billing, or with POST /api/create-order.',
    { cause: new CreditShortage(wallet, amount) },
  );
}
