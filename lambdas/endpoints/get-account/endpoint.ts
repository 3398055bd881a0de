/** `GET /api/v1/auth/me`: the account that is signed in. */

import { type Account, accountEntry } from '../../core/access/accounts.ts';
import { authenticateSession, invalidSession, type Sessions } from '../../core/access/session.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import type { Endpoint } from '../../core/ports.ts';

export interface GetAccountDependencies {
  readonly sessions: Pick<Sessions, 'verify'>;
  readonly find: (accountId: string) => Promise<Account | undefined>;
}

export function getAccount({ sessions, find }: GetAccountDependencies): Endpoint {
  return async (request) => {
    const account = await find(await authenticateSession(request.headers, sessions));
    if (account === undefined) throw invalidSession();
    return jsonResponse(accountEntry(account));
  };
}
