/** Admissions that keep what their calls settle with. */
import type { Admission } from '../../ledger/core/call.ts';
import type { CallOutcome } from '../../ledger/core/usage-record.ts';

export function recordedAdmission(amount: bigint, output = 0) {
  const outcomes: CallOutcome[] = [];
  const settle = async (outcome: CallOutcome) => {
    outcomes.push(outcome);
    return { record: { ...outcome, cost: outcome.amount }, balance: 0n };
  };
  const admission = { output, amount, headers: {}, settle } as unknown as Admission;
  return { admission, outcomes };
}
