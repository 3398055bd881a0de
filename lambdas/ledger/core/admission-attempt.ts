/** One attempt to admit a call with a given output: the charge of its key, the hold in its wallet, and the results of both. */
import type { KeyCharge } from '../../access/core/key-state.ts';
import type { ChargeResult, KeyStore } from '../../access/core/key-store.ts';
import type { Call } from './call.ts';
import { type Hold, type HoldResult, isCallHold, type Wallet } from './ports.ts';
import { largestOutput } from './preflight.ts';

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
 * Returns the output of the next attempt: the largest smaller one that the key and the wallet cover, by their responses.
 * Undefined if there is none, or if a half failed. `isLocked` returns whether a wallet has credit in expired holds, which is
 * recovered once the key is charged.
 */
export function smallerOutput(
  call: Pick<Call, 'output' | 'tokens' | 'cost'>,
  { output, charge, chargeResult, holdResult, nowMs }: AdmissionAttempt,
  isLocked: (wallet: Wallet) => boolean,
): number | undefined {
  if (chargeResult.status === 'rejected' || holdResult.status === 'rejected') return undefined;
  const [key, wallet] = [chargeResult.value, holdResult.value];
  const isAbsent =
    (!key.granted && key.state === undefined) || (!wallet.granted && wallet.wallet === undefined);
  if (isAbsent || (key.granted && wallet.granted)) return undefined;
  // A wallet with expired holds may cover more once they are recovered, so its balance does not limit the output yet.
  const isBalanceFinal =
    !wallet.granted && (key.granted || wallet.wallet === undefined || !isLocked(wallet.wallet));
  const snapshot = {
    state: key.granted ? undefined : key.state,
    wallet: isBalanceFinal ? wallet.wallet : undefined,
  };
  return largestOutput(call, { min: call.output.min, max: output - 1 }, snapshot, { charge, nowMs });
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
