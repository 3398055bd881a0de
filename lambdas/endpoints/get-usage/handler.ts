/** `GET /v1/usage/{request_id}`: one call of the key that asks. */

import { createUsageStore } from '../../adapters/ledger/usage-store.ts';
import { requireTable } from '../../contract/tables.ts';
import { authenticate } from '../../core/access/api-key.ts';
import { ServiceError } from '../../core/errors.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { receiptEntry } from '../../core/ledger/usage/receipt.ts';
import { keyHandler } from '../../hosts/handlers.ts';

export const handler = keyHandler('openai', ({ peppers, gate, clients, environment }) => {
  const usage = createUsageStore(clients.client, requireTable(environment, 'usage'));
  return async (request, { pathParameters }) => {
    const key = authenticate(request.headers, await peppers());
    const { headers } = await gate.touch(key);
    const record = await usage.get(key.keyId, pathParameters.request_id ?? '');
    const message = 'This API key has made no such call, or it is not settled yet.';
    if (record === undefined) throw new ServiceError('not_found', message, { headers });
    return jsonResponse(receiptEntry(record), headers);
  };
});
