/** Wires `GET /v1/usage/{request_id}` for Lambda. */
import { createUsageStore } from '../../adapters/ledger/usage-store.ts';
import { requireTable } from '../../contract/tables.ts';
import { keyHandler } from '../../hosts/key-handler.ts';
import { getUsage } from './endpoint.ts';

export const handler = keyHandler('openai', (resources) =>
  getUsage({
    ...resources,
    usage: createUsageStore(resources.clients.client, requireTable(resources.environment, 'usage')),
  }),
);
