/** `GET /credits/{api_key}`: balance, open holds, policy and spend, for the key that asks. */
import { authenticate, type Peppers, verifyKey } from '../../core/access/api-key.ts';
import { dailyOf, monthlyOf } from '../../core/access/key-state.ts';
import { policyEntry } from '../../core/access/policy.ts';
import { ServiceError } from '../../core/errors.ts';
import { jsonResponse } from '../../core/json-response.ts';
import type { KeyGate } from '../../core/ledger/key-gate.ts';
import type { WalletStore } from '../../core/ledger/ports.ts';
import type { Recovery } from '../../core/ledger/recovery.ts';
import { usdJson } from '../../core/money.ts';
import type { Endpoint } from '../../core/ports.ts';

export interface GetCreditsDependencies {
  readonly peppers: () => Promise<Peppers>;
  readonly gate: KeyGate;
  readonly wallets: WalletStore;
  readonly recovery: Recovery;
}

export function getCredits({ peppers, gate, wallets, recovery }: GetCreditsDependencies): Endpoint {
  return async (request, { pathParameters }) => {
    const known = await peppers();
    const key = authenticate(request.headers, known);
    const asked = pathParameters.api_key ?? '';
    const { state, headers } = await gate.touch(key);
    if (asked !== key.keyId && verifyKey(asked, known)?.keyId !== key.keyId) {
      throw new ServiceError('not_found', 'There is no such API key in your hands.', {
        param: 'api_key',
        headers,
      });
    }
    const found = await wallets.read(key.accountId);
    if (found === undefined) throw new Error(`account ${key.accountId} has no wallet`);
    const { settled, released } = await recovery.recoverWallet(found);
    const wallet = settled + released === 0 ? found : ((await wallets.read(key.accountId)) ?? found);
    const body = {
      object: 'credit_balance',
      api_key: key.keyId,
      balance: usdJson(wallet.balance),
      held: usdJson(wallet.holds.reduce((sum, hold) => sum + hold.amount, 0n)),
      currency: 'USD',
      policy: policyEntry(state.policy),
      spend: {
        today: usdJson(dailyOf(state.policy) - state.dayLeft),
        month: usdJson(monthlyOf(state.policy) - state.monthLeft),
      },
    };
    return jsonResponse(body, headers);
  };
}
