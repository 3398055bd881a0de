/** `GET /api/v1/usage/{request_id}`: one call of the account that is signed in, with its bill. */

import { sessionHandler } from '../../../access/handlers/handlers.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { accountCall, accountReceiptEntry, keyNaming } from '../../core/usage/account-calls.ts';
import { createAccountCalls } from '../../store/usage/create-account-usage.ts';

export const handler = sessionHandler('platform', (resources) => {
  const dependencies = createAccountCalls(resources);
  return async (_request, { session: { accountId }, pathParameters: { request_id: id = '' } }) => {
    const record = await accountCall(dependencies, accountId, id);
    const named = await keyNaming(dependencies.keys, [record]);
    return jsonResponse(named(accountReceiptEntry(record)));
  };
});
