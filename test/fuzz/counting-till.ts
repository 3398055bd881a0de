/** A till that counts calls in place of payment, and a credential that it accepts. */
import { formatKey } from '../../lambdas/access/core/keys/api-key.ts';
import type { KeyGate } from '../../lambdas/access/core/keys/key-gate.ts';
import type { ReplayStore } from '../../lambdas/inference/core/idempotency/ports.ts';
import type { Ledger } from '../../lambdas/ledger/core/admission.ts';
import type { Call } from '../../lambdas/ledger/core/call.ts';
import type { CallOutcome } from '../../lambdas/ledger/core/usage-record.ts';
import { PEPPERS, type Till } from './running-service.ts';

const ULID = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
export const CREDENTIAL = formatKey(
  { accountId: `acc_${ULID}`, keyId: `key_${ULID}`, secret: '0'.repeat(40) },
  PEPPERS,
);

/** Takes every call and keeps count. What the ledger makes of calls is proven by its own histories. */
export class CountingTill implements Till {
  readonly open = new Map<string, bigint>();
  /** The hold and the cost of each settled call. */
  readonly paid: { readonly held: bigint; readonly cost: bigint }[] = [];
  negative = 0;
  settles = true;

  readonly ledger: Ledger = {
    admit: async ({ requestId, output, cost }: Call) => {
      const amount = cost(output.max);
      if (amount < 0n) this.negative += 1;
      this.open.set(requestId, amount);
      return {
        output: output.max,
        amount,
        headers: {},
        settle: async (outcome: CallOutcome) => {
          if (this.settles) this.open.delete(requestId);
          const { inputUnits, outputUnits, amount: cost } = outcome;
          this.paid.push({ held: amount, cost });
          if (cost < 0n || !Number.isFinite(inputUnits) || !Number.isFinite(outputUnits)) this.negative += 1;
          return { record: { ...outcome, cost }, balance: 0n };
        },
      };
    },
  } as unknown as Ledger;

  readonly gate: KeyGate = {
    checked: (_key: unknown, check: () => Promise<unknown>) => check(),
    touch: async () => ({ headers: {} }),
  } as unknown as KeyGate;

  readonly store = {} as ReplayStore;
}
