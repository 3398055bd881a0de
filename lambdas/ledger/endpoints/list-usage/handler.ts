/** `GET /v1/usage`: the calls of the requesting key, or of its account if its policy says so, newest first. */

import { authenticate } from '../../../access/core/keys/api-key.ts';
import { keyHandler } from '../../../access/handlers/handlers.ts';
import { ignoredParametersHeader } from '../../../platform/core/api/ignored-fields.ts';
import { pageBody, queryOf } from '../../../platform/core/api/paging.ts';
import { validate } from '../../../platform/core/json/json-body.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { accountUsageEntry, listAccountCalls, onlyKey } from '../../core/usage/account-calls.ts';
import { usageQuery } from '../../core/usage/queries.ts';
import { usageEntry } from '../../core/usage/receipt.ts';
import { createAccountCalls } from '../../store/usage/create-account-usage.ts';

export const handler = keyHandler('openai', ({ peppers, gate, clients, environment }) => {
  const dependencies = createAccountCalls({ clients, environment });
  return async (request) => {
    const key = authenticate(request.headers, await peppers());
    const sent = queryOf(request);
    const query = await gate.checked(key, async () => validate(usageQuery, sent));
    const { state, headers } = await gate.touch(key);
    const isOfAccount = state.policy.reads === 'account';
    const { usage, keys } = dependencies;
    const readable = { usage, keys: isOfAccount ? keys : onlyKey(key.keyId) };
    const page = await listAccountCalls(readable, state.accountId, query);
    return jsonResponse(pageBody(page, isOfAccount ? accountUsageEntry : usageEntry), {
      ...headers,
      ...ignoredParametersHeader(sent, usageQuery),
    });
  };
});
