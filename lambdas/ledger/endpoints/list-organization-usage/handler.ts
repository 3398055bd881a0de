/** `GET /v1/organization/usage/{kind}`: the usage of a kind of calls by the hour or day, as OpenAI's API has it. */

import { keyOrSessionHandler } from '../../../access/handlers/handlers.ts';
import { MAX_PAGES, ReadingBudget } from '../../core/usage/key-reading.ts';
import { readUsageQuery } from '../../core/usage/organization-query.ts';
import { usagePage } from '../../core/usage/organization-usage.ts';
import { respondToReader } from '../../core/usage/usage-reader.ts';
import { createRollups } from '../../store/usage/create-account-usage.ts';

export const handler = keyOrSessionHandler('openai', (resources) => {
  const dependencies = createRollups(resources);
  return async (request, { pathParameters: { kind = '' } }) =>
    respondToReader(resources, request, async (reader) => {
      const nowMs = resources.clock();
      const query = readUsageQuery(request, { nowMs, subject: [kind, reader.accountId, reader.keyId] });
      const reading = { ...dependencies, nowMs, budget: new ReadingBudget(MAX_PAGES) };
      return usagePage(reading, reader, query, kind);
    });
});
