/** The ledger that grants everything and writes nothing: what a call costs beside it is what money does not. */
import { windowsAt } from '../../../lambdas/access/core/keys/windows.ts';
import type { Admission, Call, Settlement } from '../../../lambdas/ledger/core/call.ts';
import type { CallOutcome } from '../../../lambdas/ledger/core/usage-record.ts';

const gate = { checked: <T>(_key: unknown, check: () => Promise<T>): Promise<T> => check() };

/** Takes the place of `createLedger` of `lambdas/ledger/store/create-ledger.ts`, as far as a call uses it. */
export const createLedger = () => ({
  ledger: { admit: async (request: Call): Promise<Admission> => admitted(request) },
  gate,
  keys: {},
  wallets: {},
  usage: {},
});

export const createKeyGate = () => ({ gate, keys: {} });

function admitted({ requestId, key, scope, output, cost }: Call): Admission {
  const { kind } = scope;
  const amount = cost(output.max);
  const created = Math.floor(Date.now() / 1000);
  const hold = { id: requestId, keyId: key.keyId, amount, kind, expires: created };
  return {
    output: output.max,
    amount,
    spentAmount: 0n,
    held: { hold, charge: { windows: windowsAt(Date.now()) } },
    headers: {},
    settle: async ({ tokens: _used, amount: cost, ...outcome }: CallOutcome): Promise<Settlement> => ({
      record: {
        ...outcome,
        cost,
        id: requestId,
        keyId: key.keyId,
        accountId: key.accountId,
        created,
        kind,
      },
      balance: undefined,
    }),
  };
}
