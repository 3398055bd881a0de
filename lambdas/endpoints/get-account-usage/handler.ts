/** `GET /api/v1/usage/{request_id}`: one call of the account that is signed in, with its bill. */

import { createAccountCalls } from '../../adapters/ledger/usage/create-account-usage.ts';
import type { SessionEndpoint } from '../../core/access/session.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import {
  type AccountCallsDependencies,
  accountCall,
  accountReceiptEntry,
} from '../../core/ledger/usage/account-calls.ts';
import { sessionHandler } from '../../hosts/handlers.ts';

function getAccountUsage(dependencies: AccountCallsDependencies): SessionEndpoint {
  return async (_request, { session: { accountId }, pathParameters: { request_id: id = '' } }) =>
    jsonResponse(accountReceiptEntry(await accountCall(dependencies, accountId, id)));
}

export const handler = sessionHandler('platform', (resources) =>
  getAccountUsage(createAccountCalls(resources)),
);
