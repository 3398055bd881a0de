/** `GET /api/v1/credits`: balance and open holds of the account that is signed in. */

import { createLedger } from '../../adapters/ledger/create-ledger.ts';
import type { SessionEndpoint } from '../../core/access/session.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import type { WalletStore } from '../../core/ledger/ports.ts';
import { currentWallet, type Recovery } from '../../core/ledger/recovery.ts';
import { accountBalanceBody } from '../../core/ledger/usage/credit-balance.ts';
import { sessionHandler } from '../../hosts/handlers.ts';

interface GetBalanceDependencies {
  readonly wallets: WalletStore;
  readonly recovery: Recovery;
}

function getBalance(dependencies: GetBalanceDependencies): SessionEndpoint {
  return async (_request, { session: { accountId } }) =>
    jsonResponse(accountBalanceBody(await currentWallet(dependencies, accountId)));
}

export const handler = sessionHandler('platform', (resources) => getBalance(createLedger(resources)));
