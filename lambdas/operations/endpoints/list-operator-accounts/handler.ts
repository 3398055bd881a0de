/** `GET /api/v1/operator/accounts`: every account with the totals of its wallet. */

import { operatorHandler } from '../../../access/handlers/handlers.ts';
import { accountSummaryEntry, accountsQuery } from '../../../ledger/core/account-summaries.ts';
import { createAccountSummaries } from '../../../ledger/store/account-summaries.ts';
import { pageBody, queryOf } from '../../../platform/core/api/paging.ts';
import { validate } from '../../../platform/core/json/json-body.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';

export const handler = operatorHandler('platform', ({ clients, environment }) => {
  const read = createAccountSummaries({ client: clients.client, environment });
  return async (request) => {
    const { limit, cursor } = validate(accountsQuery, queryOf(request));
    return jsonResponse(pageBody(await read({ limit, after: cursor }), accountSummaryEntry));
  };
});
