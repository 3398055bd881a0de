/** `GET /v1/usage`: the calls of the key that asks, newest first. */

import { createUsageStore } from '../../adapters/ledger/usage-store.ts';
import { requireTable } from '../../contract/tables.ts';
import { authenticate } from '../../core/access/api-key.ts';
import { pageBody, queryOf } from '../../core/api/paging.ts';
import { validate } from '../../core/json/json-body.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { usageQuery } from '../../core/ledger/usage/queries.ts';
import { usageEntry } from '../../core/ledger/usage/receipt.ts';
import { firstIdAt, LAST_REQUEST_ID } from '../../core/ledger/usage/sums.ts';
import { keyHandler } from '../../hosts/handlers.ts';

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
