/** `GET /api/v1/credits`: balance and open holds of the account that is signed in. */

import { createLedger } from '../../adapters/ledger/create-ledger.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { currentWallet } from '../../core/ledger/recovery.ts';
import { accountBalanceBody } from '../../core/ledger/usage/credit-balance.ts';
import { sessionHandler } from '../../hosts/handlers.ts';

export const handler = sessionHandler('platform', (resources) => {
  const dependencies = createLedger(resources);
  return async (_request, { session: { accountId } }) =>
    jsonResponse(accountBalanceBody(await currentWallet(dependencies, accountId)));
});
