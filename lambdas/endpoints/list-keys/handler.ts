/** Wires `GET /api-keys` for Lambda. */
import { createKeyRegistry } from '../../adapters/access/create-accounts.ts';
import { ApiKeys } from '../../core/access/api-keys.ts';
import { sessionHandler } from '../../hosts/session-handler.ts';
import { listKeys } from './endpoint.ts';

export const handler = sessionHandler('platform', (resources) =>
  listKeys(new ApiKeys(createKeyRegistry(resources)), resources.clock),
);
