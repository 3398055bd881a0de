/** `GET /api/v1/auth/me`: the account that is signed in. */

import { requireTable } from '../../../platform/contract/tables.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { accountEntry } from '../../core/accounts/accounts.ts';
import { invalidSession } from '../../core/sessions/session.ts';
import { sessionHandler } from '../../handlers/handlers.ts';
import { readAccount } from '../../store/accounts/account-item.ts';

export const handler = sessionHandler('platform', ({ clients, environment }) => {
  const table = requireTable(environment, 'accounts');
  return async (_request, { session: { accountId } }) => {
    const account = await readAccount(clients.client, table, accountId);
    if (account === undefined) throw invalidSession();
    return jsonResponse(accountEntry(account));
  };
});
