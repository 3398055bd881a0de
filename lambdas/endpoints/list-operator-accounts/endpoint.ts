/** `GET /api/v1/operator/accounts`: every account with the sums of its wallet. */

import {
  type AccountSummaries,
  accountSummaryEntry,
  accountsQuery,
} from '../../core/access/account-summaries.ts';
import type { SessionEndpoint } from '../../core/access/session.ts';
import { pageBody, queryOf } from '../../core/api/paging.ts';
import { validate } from '../../core/json/json-body.ts';
import { jsonResponse } from '../../core/json/json-response.ts';

export function listOperatorAccounts(read: AccountSummaries): SessionEndpoint {
  return async (request) => {
    const { limit, cursor } = validate(accountsQuery, queryOf(request));
    return jsonResponse(pageBody(await read({ limit, after: cursor }), accountSummaryEntry));
  };
}
