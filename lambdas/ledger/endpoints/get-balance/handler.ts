/** `GET /api/v1/credits`: balance, open holds and, for a span, the statement of the account that is signed in. */

import { sessionHandler } from '../../../access/handlers/handlers.ts';
import { queryOf } from '../../../platform/core/api/paging.ts';
import { validate } from '../../../platform/core/json/json-body.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { currentWallet } from '../../core/recovery.ts';
import { accountBalanceBody, accountStatementBody } from '../../core/usage/credit-balance.ts';
import { statementDays, statementQuery } from '../../core/usage/statement.ts';
import { createLedger } from '../../store/create-ledger.ts';
import { createCreditHistory } from '../../store/usage/credit-history.ts';

export const handler = sessionHandler('platform', (resources) => {
  const dependencies = createLedger(resources);
  const readHistory = createCreditHistory(resources);
  const { clock } = resources;
  return async (request, { session: { accountId } }) => {
    const days = statementDays(validate(statementQuery, queryOf(request)), clock());
    // Recovers the holds of calls that have ended.
    const wallet = await currentWallet(dependencies, accountId);
    return jsonResponse(
      days === undefined
        ? accountBalanceBody(wallet)
        : accountStatementBody(await readHistory(accountId), days),
    );
  };
});
