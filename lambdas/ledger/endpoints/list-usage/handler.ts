/** `GET /v1/usage`: the calls of the requesting key, or of its account if its policy says so, newest first. */

import { authenticate } from '../../../access/core/keys/api-key.ts';
import { keyHandler } from '../../../access/handlers/handlers.ts';
import { pageBody, queryOf } from '../../../platform/core/api/paging.ts';
import { validate } from '../../../platform/core/json/json-body.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { accountUsageEntry, listAccountCalls } from '../../core/usage/account-calls.ts';
import { usageQuery } from '../../core/usage/queries.ts';
import { usageEntry } from '../../core/usage/receipt.ts';
import { firstIdAt, LAST_REQUEST_ID } from '../../core/usage/rollups.ts';
import { createAccountCalls } from '../../store/usage/create-account-usage.ts';

export const handler = keyHandler('openai', ({ peppers, gate, clients, environment }) => {
  const dependencies = createAccountCalls({ clients, environment });
  return async (request) => {
    const key = authenticate(request.headers, await peppers());
    const query = await gate.checked(key, async () => validate(usageQuery, queryOf(request)));
    const { state, headers } = await gate.touch(key);
    if (state.policy.reads === 'account') {
      const page = await listAccountCalls(dependencies, state.accountId, query);
      return jsonResponse(pageBody(page, accountUsageEntry), headers);
    }
    const { records, next } = await dependencies.usage.list({
      keyId: key.keyId,
      from: firstIdAt(query.start ?? 0),
      to: query.end === undefined ? LAST_REQUEST_ID : firstIdAt(query.end),
      limit: query.limit,
      ...(query.cursor === undefined ? {} : { before: query.cursor }),
    });
    return jsonResponse(pageBody({ entries: records, next }, usageEntry), headers);
  };
});
