/** Wires `GET /api-keys` for Lambda. */
import { createKeyRegistry } from '../../adapters/access/create-accounts.ts';
import { sessionHandler } from '../../hosts/session-handler.ts';
import { listKeys } from './endpoint.ts';

export const handler = sessionHandler('platform', (resources) =>
  listKeys(createKeyRegistry(resources), resources.clock),
);
