/** `GET /api/v1/credits`: balance, open holds and, for a span, the statement of the account that is signed in, as JSON or CSV. */

import { sessionHandler } from '../../../access/handlers/handlers.ts';
import { queryOf } from '../../../platform/core/api/paging.ts';
import { validate } from '../../../platform/core/json/json-body.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { currentWallet } from '../../core/recovery.ts';
import { accountBalanceBody, accountStatementBody } from '../../core/usage/credit-balance.ts';
import { CSV_TYPE } from '../../core/usage/csv.ts';
import { statementBody, statementDays, statementQuery } from '../../core/usage/statement.ts';
import { statementCsv } from '../../core/usage/statement-csv.ts';
import { createLedger } from '../../store/create-ledger.ts';
import { createCreditHistory } from '../../store/usage/credit-history.ts';

export const handler = sessionHandler('platform', (resources) => {
  const dependencies = createLedger(resources);
  const readHistory = createCreditHistory(resources);
  const { clock } = resources;
  return async (request, { session: { accountId } }) => {
    const query = validate(statementQuery, queryOf(request));
    const days = statementDays(query, clock());
    // Recovers the holds of calls that have ended.
    const wallet = await currentWallet(dependencies, accountId);
    if (days === undefined) return jsonResponse(accountBalanceBody(wallet));
    const history = await readHistory(accountId);
    if (query.format !== 'csv') return jsonResponse(accountStatementBody(history, days));
    const text = statementCsv(accountId, statementBody(history, days));
    return { headers: { 'content-type': CSV_TYPE }, text };
  };
});
