/** `GET /api/v1/credits`: balance and open holds of the account that is signed in. */

import { sessionHandler } from '../../../access/handlers/handlers.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { currentWallet } from '../../core/recovery.ts';
import { accountBalanceBody } from '../../core/usage/credit-balance.ts';
import { createLedger } from '../../store/create-ledger.ts';

export const handler = sessionHandler('platform', (resources) => {
  const dependencies = createLedger(resources);
  return async (_request, { session: { accountId } }) =>
    jsonResponse(accountBalanceBody(await currentWallet(dependencies, accountId)));
});
