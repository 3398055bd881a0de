/** `GET /credits/{api_key}`: balance, open holds, policy and spend, for the key itself or for its owner. */

import { authenticate, verifyKey } from '../../../access/core/keys/api-key.ts';
import type { KeyState } from '../../../access/core/keys/key-state.ts';
import { hasSession, readSession } from '../../../access/core/sessions/session.ts';
import { type KeyOrSessionResources, keyOrSessionHandler } from '../../../access/handlers/handlers.ts';
import { ServiceError } from '../../../platform/core/errors.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { currentWallet } from '../../core/recovery.ts';
import { creditBalanceBody } from '../../core/usage/credit-balance.ts';
import { createLedger } from '../../store/create-ledger.ts';

/** The key that the request names, which the caller may read. */
interface ReadableKey {
  readonly state: KeyState;
  readonly headers: Readonly<Record<string, string>>;
}

/** The calling key, in a path that has neither its text nor its id. */
const CALLING_KEY = 'me';

/** Returns the credit for a key, which may request only itself, by its id, by its text or as the calling key. */
async function byKey(
  { peppers, gate }: KeyOrSessionResources,
  requestHeaders: Pick<Headers, 'get'>,
  named: string,
): Promise<ReadableKey> {
  const keyPeppers = await peppers();
  const key = authenticate(requestHeaders, keyPeppers);
  const { state, headers } = await gate.touch(key);
  const keyId = named === CALLING_KEY ? key.keyId : (verifyKey(named, keyPeppers)?.keyId ?? named);
  if (keyId !== key.keyId) throw unknownKey(headers);
  return { state, headers };
}

/** Returns the credit for an owner, who may request every key of the account. */
async function byOwner(
  { peppers, sessions, keys }: KeyOrSessionResources & Pick<ReturnType<typeof createLedger>, 'keys'>,
  requestHeaders: Pick<Headers, 'get'>,
  named: string,
): Promise<ReadableKey> {
  const { accountId } = await readSession(requestHeaders, sessions);
  const keyId = verifyKey(named, await peppers())?.keyId ?? named;
  const state = /^key_\w{26}$/.test(keyId) ? await keys.read(keyId) : undefined;
  if (state === undefined || state.accountId !== accountId || state.status === 'revoked') throw unknownKey();
  return { state, headers: {} };
}

function unknownKey(headers: Readonly<Record<string, string>> = {}): ServiceError {
  return new ServiceError('not_found', 'No API key with this id belongs to your account.', {
    param: 'api_key',
    headers,
  });
}

export const handler = keyOrSessionHandler('platform', (resources) => {
  const dependencies = { ...resources, ...createLedger(resources) };
  return async (request, { pathParameters: { api_key: named = '' } }) => {
    const { state, headers } = hasSession(request.headers)
      ? await byOwner(dependencies, request.headers, named)
      : await byKey(dependencies, request.headers, named);
    const wallet = await currentWallet(dependencies, state.accountId);
    return jsonResponse(creditBalanceBody(state, wallet), headers);
  };
});
