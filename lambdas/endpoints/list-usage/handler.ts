/** Wires `GET /v1/usage` for Lambda. */
import { createUsageStore } from '../../adapters/ledger/usage-store.ts';
import { requireTable } from '../../contract/tables.ts';
import { keyHandler } from '../../hosts/key-handler.ts';
import { listUsage } from './endpoint.ts';

export const handler = keyHandler('openai', (resources) =>
  listUsage({
    ...resources,
    usage: createUsageStore(resources.clients.client, requireTable(resources.environment, 'usage')),
  }),
);
