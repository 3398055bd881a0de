/** `GET /v1/usage/{request_id}`: one call of the key that asks. */

import { createUsageStore } from '../../adapters/ledger/usage-store.ts';
import { requireTable } from '../../contract/tables.ts';
import { authenticate, type Peppers } from '../../core/access/api-key.ts';
import { ServiceError } from '../../core/errors.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import type { KeyGate } from '../../core/ledger/key-gate.ts';
import type { UsageStore } from '../../core/ledger/ports.ts';
import { receiptEntry } from '../../core/ledger/usage/receipt.ts';
import type { Endpoint } from '../../core/ports.ts';
import { keyHandler } from '../../hosts/handlers.ts';

interface GetUsageDependencies {
  readonly peppers: () => Promise<Peppers>;
  readonly gate: KeyGate;
  readonly usage: Pick<UsageStore, 'get'>;
}

function getUsage({ peppers, gate, usage }: GetUsageDependencies): Endpoint {
  return async (request, { pathParameters }) => {
    const key = authenticate(request.headers, await peppers());
    const { headers } = await gate.touch(key);
    const record = await usage.get(key.keyId, pathParameters.request_id ?? '');
    const message = 'This API key has made no such call, or it is not settled yet.';
    if (record === undefined) throw new ServiceError('not_found', message, { headers });
    return jsonResponse(receiptEntry(record), headers);
  };
}

export const handler = keyHandler('openai', (resources) =>
  getUsage({
    ...resources,
    usage: createUsageStore(resources.clients.client, requireTable(resources.environment, 'usage')),
  }),
);
