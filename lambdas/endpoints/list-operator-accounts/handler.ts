/** `GET /api/v1/operator/accounts`: every account with the sums of its wallet. */
import { createAccountSummaries } from '../../adapters/access/account-summaries.ts';
import { accountSummaryEntry, accountsQuery } from '../../core/access/account-summaries.ts';
import { pageBody, queryOf } from '../../core/api/paging.ts';
import { validate } from '../../core/json/json-body.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { operatorHandler } from '../../hosts/handlers.ts';

export const handler = operatorHandler('platform', ({ clients, environment }) => {
  const read = createAccountSummaries({ client: clients.client, environment });
  return async (request) => {
    const { limit, cursor } = validate(accountsQuery, queryOf(request));
    return jsonResponse(pageBody(await read({ limit, after: cursor }), accountSummaryEntry));
  };
});
