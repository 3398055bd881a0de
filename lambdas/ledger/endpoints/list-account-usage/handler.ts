/** `GET /api/v1/usage`: the calls of all keys of the account that is signed in, newest first. */

import { sessionHandler } from '../../../access/handlers/handlers.ts';
import { pageBody, queryOf } from '../../../platform/core/api/paging.ts';
import { validate } from '../../../platform/core/json/json-body.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { accountUsageEntry, listAccountCalls } from '../../core/usage/account-calls.ts';
import { accountUsageQuery } from '../../core/usage/queries.ts';
import { createAccountCalls } from '../../store/usage/create-account-usage.ts';

export const handler = sessionHandler('platform', (resources) => {
  const dependencies = createAccountCalls(resources);
  return async (request, { session: { accountId } }) => {
    const query = validate(accountUsageQuery, queryOf(request));
    return jsonResponse(pageBody(await listAccountCalls(dependencies, accountId, query), accountUsageEntry));
  };
});
