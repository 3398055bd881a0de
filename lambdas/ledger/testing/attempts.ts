/** Outcomes of attempts at a call: admissions to settle, and refusals by the error their callers get. */
import type { KeyState } from '../../access/core/keys/key-state.ts';
import { ServiceError } from '../../platform/core/errors.ts';
import type { Admission } from '../core/call.ts';
import { outcomeOf, type TestLedger } from './running-ledger.ts';

/** Admissions, and the codes of the refusals; any other failure is thrown. */
export async function sort(attempts: readonly Promise<Admission>[]) {
  const admissions: Admission[] = [];
  const codes: string[] = [];
  for (const result of await Promise.allSettled(attempts)) {
    if (result.status === 'fulfilled') admissions.push(result.value);
    else if (result.reason instanceof ServiceError)
      codes.push(`${result.reason.status} ${result.reason.code}`);
    else throw result.reason;
  }
  return { admissions, codes };
}

/** The refusal of an attempt; throws when it was not refused. */
export async function rejectionOf(attempt: Promise<unknown>): Promise<ServiceError> {
  const result = await attempt.catch((failure: unknown) => failure);
  if (result instanceof ServiceError) return result;
  throw new Error(`not refused: ${String(result)}`);
}

/** Settles each call at exactly what it held. */
export const settleAll = (admissions: readonly Admission[]) =>
  Promise.all(admissions.map((admission) => admission.settle(outcomeOf(admission.amount, { tokens: 10 }))));

/** The key's stored state; throws when there is none. */
export async function keyState({ keys }: TestLedger, keyId: string): Promise<KeyState> {
  const state = await keys.read(keyId);
  if (state === undefined) throw new Error('the key is gone');
  return state;
}
