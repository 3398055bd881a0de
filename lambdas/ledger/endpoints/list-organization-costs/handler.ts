/** `GET /v1/organization/costs`: the cost of calls by the day, as OpenAI's API has it. */

import { keyOrSessionHandler } from '../../../access/handlers/handlers.ts';
import { MAX_PAGES, ReadingBudget } from '../../core/usage/key-reading.ts';
import { readCostsQuery } from '../../core/usage/organization-query.ts';
import { costsPage } from '../../core/usage/organization-usage.ts';
import { respondToReader } from '../../core/usage/usage-reader.ts';
import { createRollups } from '../../store/usage/create-account-usage.ts';

export const handler = keyOrSessionHandler('openai', (resources) => {
  const dependencies = createRollups(resources);
  return async (request) =>
    respondToReader(resources, request, async (reader) => {
      const nowMs = resources.clock();
      const query = readCostsQuery(request, { nowMs, subject: [reader.accountId, reader.keyId] });
      const reading = { ...dependencies, nowMs, budget: new ReadingBudget(MAX_PAGES) };
      return costsPage(reading, reader, query);
    });
});
