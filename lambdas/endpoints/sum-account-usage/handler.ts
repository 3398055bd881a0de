/** `GET /api/v1/usage/sums`: what the calls of the account that is signed in come to, by the hour or day. */

import { createSums } from '../../adapters/ledger/usage/create-account-usage.ts';
import { queryOf } from '../../core/api/paging.ts';
import { validate } from '../../core/json/json-body.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { readSums } from '../../core/ledger/usage/account-sums.ts';
import { ReadingBudget } from '../../core/ledger/usage/key-reading.ts';
import { spanOf, usageSumsBody, usageSumsQuery } from '../../core/ledger/usage/sums-answer.ts';
import { sessionHandler } from '../../hosts/handlers.ts';

/** Pages of records that one request reads: with 16 at a time, within a few seconds. */
const MOST_PAGES = 64;

export const handler = sessionHandler('platform', (resources) => {
  const dependencies = createSums(resources);
  const { clock } = resources;
  return async (request, { session: { accountId } }) => {
    const nowMs = clock();
    const query = validate(usageSumsQuery, queryOf(request));
    const span = spanOf(query, nowMs);
    const budget = new ReadingBudget(MOST_PAGES);
    const sums = await readSums({ ...dependencies, nowMs, budget }, accountId, span);
    return jsonResponse(usageSumsBody(sums, query, Math.floor(nowMs / 1000)));
  };
});
