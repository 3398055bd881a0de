/** `GET /credits/{api_key}`: balance, open holds, policy and spend, for the key itself or for its owner. */
import { authenticate, type Peppers, verifyKey } from '../../core/access/api-key.ts';
import { dailyOf, type KeyState, monthlyOf, rollWindows } from '../../core/access/key-state.ts';
import { policyEntry } from '../../core/access/policy.ts';
import { carriesSession, readSession, type Sessions } from '../../core/access/session.ts';
import { windowsAt } from '../../core/access/windows.ts';
import { ServiceError } from '../../core/errors.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import type { KeyGate } from '../../core/ledger/key-gate.ts';
import type { KeyStore, Wallet, WalletStore } from '../../core/ledger/ports.ts';
import type { Recovery } from '../../core/ledger/recovery.ts';
import { usdJson } from '../../core/money.ts';
import type { Clock, Endpoint } from '../../core/ports.ts';

export interface GetCreditsDependencies {
  readonly peppers: () => Promise<Peppers>;
  readonly sessions: Pick<Sessions, 'verify'>;
  readonly gate: KeyGate;
  readonly keys: Pick<KeyStore, 'read'>;
  readonly wallets: WalletStore;
  readonly recovery: Recovery;
  readonly clock: Clock;
}

/** The key that the request names, which the caller may read. */
interface ReadableKey {
  readonly state: KeyState;
  readonly headers: Readonly<Record<string, string>>;
}

export function getCredits(dependencies: GetCreditsDependencies): Endpoint {
  return async (request, { pathParameters: { api_key: named = '' } }) => {
    const { state, headers } = carriesSession(request.headers)
      ? await byOwner(dependencies, request.headers, named)
      : await byKey(dependencies, request.headers, named);
    const { balance, owed, holds } = await currentWallet(dependencies, state.accountId);
    const body = {
      object: 'credit_balance',
      api_key: state.keyId,
      balance: usdJson(balance),
      held: usdJson(holds.reduce((sum, hold) => sum + hold.amount, 0n)),
      owed: usdJson(owed),
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

/** A key may ask about itself only, by its id or by its text. */
async function byKey(
  { peppers, gate }: GetCreditsDependencies,
  sent: Headers,
  named: string,
): Promise<ReadableKey> {
  const known = await peppers();
  const key = authenticate(sent, known);
  const { state, headers } = await gate.touch(key);
  if (named !== key.keyId && verifyKey(named, known)?.keyId !== key.keyId) throw unknownKey(headers);
  return { state, headers };
}

/** An owner may ask about every key of the account. */
async function byOwner(
  { peppers, sessions, keys, clock }: GetCreditsDependencies,
  sent: Headers,
  named: string,
): Promise<ReadableKey> {
  const { accountId } = await readSession(sent, sessions);
  const keyId = verifyKey(named, await peppers())?.keyId ?? named;
  const state = /^key_\w{26}$/.test(keyId) ? await keys.read(keyId) : undefined;
  if (state === undefined || state.accountId !== accountId || state.status === 'revoked') throw unknownKey();
  return { state: rollWindows(state, windowsAt(clock())), headers: {} };
}

/** Expired holds lock credit that is there: they are recovered before the balance is read. */
async function currentWallet(
  { wallets, recovery }: GetCreditsDependencies,
  accountId: string,
): Promise<Wallet> {
  const found = await wallets.read(accountId);
  if (found === undefined) throw new Error(`account ${accountId} has no wallet`);
  const { settled, released } = await recovery.recoverWallet(found);
  return settled + released === 0 ? found : ((await wallets.read(accountId)) ?? found);
}

function unknownKey(headers: Readonly<Record<string, string>> = {}): ServiceError {
  return new ServiceError('not_found', 'No API key with this id belongs to your account.', {
    param: 'api_key',
    headers,
  });
}
