/** `GET /api/v1/auth/me`: the account that is signed in. */

import { readAccount } from '../../adapters/access/account-item.ts';
import { requireTable } from '../../contract/tables.ts';
import { accountEntry } from '../../core/access/accounts.ts';
import { invalidSession } from '../../core/access/session.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { sessionHandler } from '../../hosts/handlers.ts';

export const handler = sessionHandler('platform', ({ clients, environment }) => {
  const table = requireTable(environment, 'accounts');
  return async (_request, { session: { accountId } }) => {
    const account = await readAccount(clients.client, table, accountId);
    if (account === undefined) throw invalidSession();
    return jsonResponse(accountEntry(account));
  };
});
