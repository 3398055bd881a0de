/** One attempt to admit a call with a given output: the charge of its key, the hold in its wallet, and the results of both. */
import type { KeyCharge } from '../../access/core/keys/key-state.ts';
import type { ChargeResult, KeyStore } from '../../access/core/keys/key-store.ts';
import { type Hold, type HoldResult, isCallHold } from './ports.ts';

/** An attempt, and the results of its two halves. */
export interface AdmissionAttempt {
  /** Tokens of output that it was for. */
  readonly output: number;
  readonly charge: KeyCharge;
  readonly hold: Hold;
  readonly chargeResult: PromiseSettledResult<ChargeResult>;
  readonly holdResult: PromiseSettledResult<HoldResult>;
  readonly nowMs: number;
}

/**
 * Reverts a granted charge, with or without its request. A charge without a response is not reverted, because it may not
 * exist: the amount that it may have taken is missing until the caps are repaired.
 */
export async function revertCharge(
  keys: KeyStore,
  { charge, chargeResult }: Pick<AdmissionAttempt, 'charge' | 'chargeResult'>,
  requests: 0 | 1,
): Promise<void> {
  if (!isGranted(chargeResult)) return;
  const { key, windows, tokens, amount } = charge;
  const { repaired } = chargeResult.value.state;
  await keys.settle(key.keyId, { windows, repaired, unused: { requests, tokens, amount }, cost: 0n });
}

export function isGranted<T extends ChargeResult | HoldResult>(
  result: PromiseSettledResult<T>,
): result is PromiseFulfilledResult<T & { granted: true }> {
  return result.status === 'fulfilled' && result.value.granted;
}

/** Returns the hold as the wallet stores it, with its shard; the requested hold if the response does not show it. */
export function placedHold(holdResult: PromiseSettledResult<HoldResult>, hold: Hold): Hold {
  const holds = holdResult.status === 'fulfilled' ? holdResult.value.wallet?.holds : undefined;
  return holds?.filter(isCallHold).find(({ id }) => id === hold.id) ?? hold;
}
