/** `GET /api/v1/auth/me`: the account that is signed in. */

import { type Account, accountEntry } from '../../core/access/accounts.ts';
import { invalidSession, type SessionEndpoint } from '../../core/access/session.ts';
import { jsonResponse } from '../../core/json/json-response.ts';

export function getAccount(find: (accountId: string) => Promise<Account | undefined>): SessionEndpoint {
  return async (_request, { session: { accountId } }) => {
    const account = await find(accountId);
    if (account === undefined) throw invalidSession();
    return jsonResponse(accountEntry(account));
  };
}
