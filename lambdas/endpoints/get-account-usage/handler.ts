/** `GET /api/v1/usage/{request_id}`: one call of the account that is signed in, with its bill. */

import { createAccountCalls } from '../../adapters/ledger/usage/create-account-usage.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { accountCall, accountReceiptEntry } from '../../core/ledger/usage/account-calls.ts';
import { sessionHandler } from '../../hosts/handlers.ts';

export const handler = sessionHandler('platform', (resources) => {
  const dependencies = createAccountCalls(resources);
  return async (_request, { session: { accountId }, pathParameters: { request_id: id = '' } }) =>
    jsonResponse(accountReceiptEntry(await accountCall(dependencies, accountId, id)));
});
