/** `GET /v1/usage`: the calls of the requesting key, newest first. */

import { authenticate } from '../../../access/core/keys/api-key.ts';
import { keyHandler } from '../../../access/handlers/handlers.ts';
import { requireTable } from '../../../platform/contract/tables.ts';
import { pageBody, queryOf } from '../../../platform/core/api/paging.ts';
import { validate } from '../../../platform/core/json/json-body.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { usageQuery } from '../../core/usage/queries.ts';
import { usageEntry } from '../../core/usage/receipt.ts';
import { firstIdAt, LAST_REQUEST_ID } from '../../core/usage/rollups.ts';
import { createUsageStore } from '../../store/usage-store.ts';

export const handler = keyHandler('openai', ({ peppers, gate, clients, environment }) => {
  const usage = createUsageStore(clients.client, requireTable(environment, 'usage'));
  return async (request) => {
    const key = authenticate(request.headers, await peppers());
    const query = await gate.checked(key, async () => validate(usageQuery, queryOf(request)));
    const { headers } = await gate.touch(key);
    const { records, next } = await usage.list({
      keyId: key.keyId,
      from: firstIdAt(query.start ?? 0),
      to: query.end === undefined ? LAST_REQUEST_ID : firstIdAt(query.end),
      limit: query.limit,
      ...(query.cursor === undefined ? {} : { before: query.cursor }),
    });
    return jsonResponse(pageBody({ entries: records, next }, usageEntry), headers);
  };
});
