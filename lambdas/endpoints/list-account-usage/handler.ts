/** `GET /api/v1/usage`: the calls of all keys of the account that is signed in, newest first. */

import { createAccountCalls } from '../../adapters/ledger/usage/create-account-usage.ts';
import { pageBody, queryOf } from '../../core/api/paging.ts';
import { validate } from '../../core/json/json-body.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { accountUsageEntry, listAccountCalls } from '../../core/ledger/usage/account-calls.ts';
import { accountUsageQuery } from '../../core/ledger/usage/queries.ts';
import { sessionHandler } from '../../hosts/handlers.ts';

export const handler = sessionHandler('platform', (resources) => {
  const dependencies = createAccountCalls(resources);
  return async (request, { session: { accountId } }) => {
    const query = validate(accountUsageQuery, queryOf(request));
    return jsonResponse(pageBody(await listAccountCalls(dependencies, accountId, query), accountUsageEntry));
  };
});
