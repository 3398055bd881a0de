/** `GET /api/v1/usage`: the calls of all keys of the account that is signed in, newest first, as JSON or CSV. */

import { streamedSessionHandler } from '../../../access/handlers/handlers.ts';
import { ignoredParametersHeader } from '../../../platform/core/api/ignored-fields.ts';
import { pageBody, queryOf } from '../../../platform/core/api/paging.ts';
import { validate } from '../../../platform/core/json/json-body.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { accountUsageEntry, keyNaming, listAccountCalls } from '../../core/usage/account-calls.ts';
import { CSV_TYPE } from '../../core/usage/csv.ts';
import { accountUsageQuery } from '../../core/usage/queries.ts';
import { callsCsv } from '../../core/usage/usage-csv.ts';
import { createAccountCalls } from '../../store/usage/create-account-usage.ts';

export const handler = streamedSessionHandler('platform', (resources) => {
  const dependencies = createAccountCalls(resources);
  return async (request, { session: { accountId } }) => {
    const sent = queryOf(request);
    const query = validate(accountUsageQuery, sent);
    const headers = ignoredParametersHeader(sent, accountUsageQuery);
    if (query.format === 'csv') {
      const body = callsCsv(dependencies, accountId, query);
      return { headers: { 'content-type': CSV_TYPE, ...headers }, body };
    }
    const page = await listAccountCalls(dependencies, accountId, query);
    const named = await keyNaming(dependencies.keys, page.entries);
    return jsonResponse(
      pageBody(page, (record) => named(accountUsageEntry(record))),
      headers,
    );
  };
});
