/** `GET /api/v1/earnings`: what the account has earned by sales of its listings. */

import { sessionHandler } from '../../../access/handlers/handlers.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { earningsEntry } from '../../core/earnings/requests.ts';
import { createEarningsStore, maturityOf } from '../../store/earnings/create-earnings.ts';

export const handler = sessionHandler('platform', (resources) => {
  const { clock, environment } = resources;
  const store = createEarningsStore(resources);
  const maturitySeconds = maturityOf(environment);
  return async (_request, { session: { accountId } }) => {
    const [balance, nextDue] = await Promise.all([
      store.balance(accountId),
      store.nextDue(accountId, Math.floor(clock() / 1000) - maturitySeconds),
    ]);
    return jsonResponse(earningsEntry(balance, nextDue));
  };
});
