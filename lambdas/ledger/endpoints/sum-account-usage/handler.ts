/** `GET /api/v1/usage/sums`: what the calls of the account that is signed in come to, by the hour or day. */

import { sessionHandler } from '../../../access/handlers/handlers.ts';
import { queryOf } from '../../../platform/core/api/paging.ts';
import { validate } from '../../../platform/core/json/json-body.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { readSums } from '../../core/usage/account-sums.ts';
import { ReadingBudget } from '../../core/usage/key-reading.ts';
import { spanOf, usageSumsBody, usageSumsQuery } from '../../core/usage/sums-answer.ts';
import { createSums } from '../../store/usage/create-account-usage.ts';

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
