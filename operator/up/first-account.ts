/**
 * The first account of a deployment, with credit and a key. Each is created once however often this runs, because its
 * id follows from what exists: the account from an identity that no provider has, the credit from a fixed id, the key
 * from the account's id. The name of the key states if it was delivered.
 */
import type { ProviderIdentity } from '../../lambdas/access/core/sessions/sign-in.ts';
import type { NanoUsd } from '../../lambdas/platform/core/money.ts';
import type { Operator } from '../operator.ts';

/** Issuers of identity providers are URLs, so nobody can sign in with this. */
const FIRST: ProviderIdentity = { issuer: 'operator', subject: 'first account' };

const FIRST_CREDIT = 'first-credit';

/** The names of the key, before and after its text was delivered. */
const UNDELIVERED = 'first key, not delivered';
const DELIVERED = 'first key';

export const openFirstAccount = (operator: Pick<Operator, 'openAccountFor'>): Promise<string> =>
  operator.openAccountFor(FIRST);

export const grantFirstCredit = (
  operator: Pick<Operator, 'grant'>,
  accountId: string,
  amount: NanoUsd,
): ReturnType<Operator['grant']> => operator.grant(accountId, amount, FIRST_CREDIT);

type KeyOperator = Pick<Operator, 'findKey' | 'createKey' | 'replaceSecret' | 'renameKey'>;

/**
 * Delivers the text of the first key. If an earlier run ended between the key and its delivery, nobody has the text:
 * the key gets another secret. Returns false for a key that was delivered.
 */
export async function deliverFirstKey(
  operator: KeyOperator,
  accountId: string,
  deliver: (key: string) => Promise<void> | void,
): Promise<boolean> {
  const keyId = accountId.replace(/^acc_/, 'key_');
  const existing = await operator.findKey(keyId);
  if (existing !== undefined && existing.name !== UNDELIVERED) return false;
  const key =
    existing === undefined
      ? (await operator.createKey(accountId, UNDELIVERED, {}, keyId)).key
      : await operator.replaceSecret(accountId, keyId);
  await deliver(key);
  await operator.renameKey(accountId, keyId, DELIVERED);
  return true;
}
