/** `GET /v1/usage/{request_id}`: one call of the requesting key. */

import { authenticate } from '../../../access/core/keys/api-key.ts';
import { keyHandler } from '../../../access/handlers/handlers.ts';
import { requireTable } from '../../../platform/contract/tables.ts';
import { ServiceError } from '../../../platform/core/errors.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { receiptEntry } from '../../core/usage/receipt.ts';
import { createUsageStore } from '../../store/usage-store.ts';

export const handler = keyHandler('openai', ({ peppers, gate, clients, environment }) => {
  const usage = createUsageStore(clients.client, requireTable(environment, 'usage'));
  return async (request, { pathParameters }) => {
    const key = authenticate(request.headers, await peppers());
    const { headers } = await gate.touch(key);
    const record = await usage.get(key.keyId, pathParameters.request_id ?? '');
    const message = 'This API key has no such call, or it is not settled yet.';
    if (record === undefined) throw new ServiceError('not_found', message, { headers });
    return jsonResponse(receiptEntry(record), headers);
  };
});
