/** One try to admit a call with an output, and what came of it. */
import type { KeyCharge } from '../../access/core/key-state.ts';
import type { ChargeResult, KeyStore } from '../../access/core/key-store.ts';
import type { Call } from './call.ts';
import type { Hold, HoldResult, Wallet } from './ports.ts';
import { largestOutput } from './preflight.ts';

/** A try, and what came of its two halves. */
export interface AdmissionAttempt {
  /** Tokens of output that it was for. */
  readonly output: number;
  readonly charge: KeyCharge;
  readonly hold: Hold;
  readonly charged: PromiseSettledResult<ChargeResult>;
  readonly held: PromiseSettledResult<HoldResult>;
  readonly nowMs: number;
}

/**
 * The output to try next: the largest smaller one that key and wallet leave, as far as they have said. Undefined for none,
 * and where a half failed. `isLocked` says whether a wallet has credit in expired holds: that is recovered once the key
 * has been charged.
 */
export function smallerOutput(
  call: Pick<Call, 'output' | 'tokens' | 'cost'>,
  { output, charge, charged, held, nowMs }: AdmissionAttempt,
  isLocked: (wallet: Wallet) => boolean,
): number | undefined {
  if (charged.status === 'rejected' || held.status === 'rejected') return undefined;
  const [key, wallet] = [charged.value, held.value];
  const isNothing =
    (!key.granted && key.state === undefined) || (!wallet.granted && wallet.wallet === undefined);
  if (isNothing || (key.granted && wallet.granted)) return undefined;
  const isJudged =
    !wallet.granted && (key.granted || wallet.wallet === undefined || !isLocked(wallet.wallet));
  const known = {
    state: key.granted ? undefined : key.state,
    wallet: isJudged ? wallet.wallet : undefined,
  };
  return largestOutput(call, { least: call.output.least, most: output - 1 }, known, { charge, nowMs });
}

/**
 * Gives the key back what a charge took, of requests as many as are said. A charge that was not answered is not given
 * back, because it may not have been made: what it may have taken is missing until the caps are repaired.
 */
export async function giveBack(
  keys: KeyStore,
  { charge, charged }: Pick<AdmissionAttempt, 'charge' | 'charged'>,
  requests: 0 | 1,
): Promise<void> {
  if (!isGranted(charged)) return;
  const { key, windows, tokens, amount } = charge;
  const { repaired } = charged.value.state;
  await keys.settle(key.keyId, { windows, repaired, unused: { requests, tokens, amount }, cost: 0n });
}

export function isGranted<T extends ChargeResult | HoldResult>(
  result: PromiseSettledResult<T>,
): result is PromiseFulfilledResult<T & { granted: true }> {
  return result.status === 'fulfilled' && result.value.granted;
}

/** The hold as the wallet has it, with the item it is in. */
export function taken(held: PromiseSettledResult<HoldResult>, hold: Hold): Hold {
  const holds = held.status === 'fulfilled' ? held.value.wallet?.holds : undefined;
  return holds?.find(({ id }) => id === hold.id) ?? hold;
}
