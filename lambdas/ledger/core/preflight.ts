/**
 * The check of whether a key and a wallet cover a call, by their cached state. It is the same before, at and after
 * admission.
 */
import { type KeyCharge, type KeyState, rateLimitHeaders, refusal } from '../../access/core/key-state.ts';
import { ServiceError } from '../../platform/core/errors.ts';
import { formatUsd, type NanoUsd } from '../../platform/core/money.ts';
import type { Call, OutputRange } from './call.ts';
import type { Wallet } from './ports.ts';

type Terms = Pick<Call, 'output' | 'tokens' | 'cost'>;

/** Each leaves everything where nothing is known of it. */
export interface AccountSnapshot {
  /** With current windows. */
  readonly state?: KeyState | undefined;
  readonly wallet?: Pick<Wallet, 'balance'> | undefined;
}

/** A charge of the call's key, whatever its tokens and amount, and when it is made. */
interface At {
  readonly charge: KeyCharge;
  readonly nowMs: number;
}

/**
 * Returns the error with which key and wallet reject the minimum of a call: 401, 403, 429 or 402, in this order.
 * Returns undefined if they cover it.
 */
export function preflight(call: Terms, known: AccountSnapshot, at: At): ServiceError | undefined {
  const { state, wallet } = known;
  const amount = call.cost(call.output.least);
  const charge = { ...at.charge, tokens: call.tokens(call.output.least), amount };
  const ofKey = state === undefined ? undefined : refusal(state, charge, at.nowMs);
  const isLacking = wallet !== undefined && wallet.balance < amount;
  const reason = ofKey ?? (isLacking ? insufficientCredit(amount) : undefined);
  if (reason === undefined) return undefined;
  const shown = reason.status === 402 ? withAffordable(reason, call, known, at) : reason;
  // A key that is not active gets no word of its limits.
  return state === undefined || reason.status === 401
    ? shown
    : shown.withHeaders(rateLimitHeaders(state, at.nowMs));
}

/** The largest output of the range for which key and wallet have enough, tokens; undefined where they have for none. */
export function largestOutput(
  { tokens, cost }: Pick<Terms, 'tokens' | 'cost'>,
  { least, most }: OutputRange,
  { state, wallet }: AccountSnapshot,
  { charge, nowMs }: At,
): number | undefined {
  const fits = (output: number): boolean => {
    const amount = cost(output);
    if (wallet !== undefined && wallet.balance < amount) return false;
    return (
      state === undefined ||
      refusal(state, { ...charge, tokens: tokens(output), amount }, nowMs) === undefined
    );
  };
  if (least > most || !fits(least)) return undefined;
  let [fitting, beyond] = [least, most + 1];
  while (beyond - fitting > 1) {
    const middle = Math.floor((fitting + beyond) / 2);
    if (fits(middle)) fitting = middle;
    else beyond = middle;
  }
  return fitting;
}

/** Names the largest smaller output that would fit, if there is one. */
function withAffordable(reason: ServiceError, call: Terms, known: AccountSnapshot, at: At): ServiceError {
  const smaller = largestOutput(call, { least: 1, most: call.output.least - 1 }, known, at);
  return smaller === undefined ? reason : reason.withAffordable(smaller);
}

/** The refusal of a wallet that does not cover a hold. */
function insufficientCredit(amount: NanoUsd): ServiceError {
  return new ServiceError(
    'insufficient_credit',
    `The account's credit does not cover the estimate for this call, ${formatUsd(amount)} USD.`,
  );
}
